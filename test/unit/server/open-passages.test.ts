/** How many connections to nodes, pods and services may be open, of one user and of all. */
import type { IncomingMessage } from 'node:http';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { buildConnections } from '../../../src/server/connections/build-connections.ts';
import { usualPassages } from '../../../src/server/connections/open-passages.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { always, openRoom } from '../../support/http/room.ts';
import { TestAgent } from '../../support/node-agent.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

test.each([
  [undefined, 8_000, 2_000],
  [1_048_576, 8_000, 2_000],
  [1_024, 128, 32],
  [4, 1, 1],
])('with %p open files', (openFiles, most, mostPerUser) => {
  expect(usualPassages(openFiles)).toEqual({ most, mostPerUser });
});

test('logs that are followed count until they end', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTempFolder('open-passages');
  stack.defer(() => folder.remove());
  const authority = await makeAuthority(`${folder.path}/agents`);
  const agent = stack.use(await TestAgent.start(await authority.server('agent'), authority.ca, folder.path));
  const naming = namingProfiles.kubernetes;
  const { catalogue, schemas } = realCatalogue(naming);
  const { passOn } = buildConnections(
    {
      ...{ addressTypes: ['InternalIP'], timeoutMs: 5_000 },
      ...{ caFile: '', certFile: '', keyFile: '' },
    },
    {
      ...{ environment: systemEnvironment, apiDomain: naming.apiDomain },
      credentials: { nodeAgents: { ca: authority.ca, cert: undefined, key: undefined } },
      limits: { most: 3, mostPerUser: 2 },
    },
  );
  const room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, passOn });
  stack.defer(() => room.close());
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  room.verbs.target = {
    ...{ kind: 'agent', agent: { node: 'n1', addresses, port: agent.port } },
    ...{ path: '/containerLogs/x/a/main?follow=true', skipsVerification: false },
  };
  const path = '/api/v1/namespaces/x/pods/a/log?follow=true';
  const follow = async (): Promise<IncomingMessage> => {
    const before = agent.followed;
    const opening = room.open(path);
    await waitFor('the agent to be asked', () => agent.followed === before + 1);
    agent.say('line');
    return opening;
  };
  room.authenticate = always('ann');
  const logs = [await follow(), await follow()];
  const refused = await room.ask(path);
  expect([refused.code, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(refused.text).toContain('you have too many open connections');
  room.authenticate = always('bob');
  logs.push(await follow());
  expect((await room.ask(path)).text).toContain('there are too many open connections');
  logs[0]?.destroy();
  await waitFor('the agent to be left', () => agent.followed === 2);
  agent.refusals.push({ code: 500, text: 'broken' });
  await waitFor('a free place', async () => (await room.ask(path)).code === 500);
  for (const log of logs) log.destroy();
});
