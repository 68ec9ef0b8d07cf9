/** A node agent that changes the protocol of a connection on which a log was asked for. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { buildConnections } from '../../../src/server/connections/build-connections.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const config = {
  ...{ addressTypes: ['InternalIP'], timeoutMs: 5_000 },
  ...{ caFile: '', certFile: '', keyFile: '' },
};

let folder: TempFolder;
let agent: Server;
/** Connections of the agent, which never ends one. */
const open = new Set<TLSSocket>();
let head: string;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('switching');
  const authority = await makeAuthority(`${folder.path}/agents`);
  const { cert, key } = await authority.server('agent');
  agent = createServer({ cert, key }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    socket.once('data', () => socket.write(head));
  });
  await once(agent.listen(0, '127.0.0.1'), 'listening');
  const { passOn } = buildConnections(config, {
    environment: systemEnvironment,
    apiDomain: naming.apiDomain,
    credentials: { nodeAgents: { ca: authority.ca, cert: undefined, key: undefined } },
  });
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas, passOn });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  agent.close();
  await room.close();
  await folder.remove();
});

test.each(['Connection: Upgrade\r\nUpgrade: x\r\n', ''])(
  'is left, and the client gets an error; with headers %j',
  async (headers) => {
    head = `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`;
    const { port } = agent.address() as AddressInfo;
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    const target = { kind: 'agent', path: '/containerLogs/x/a/main', skipsVerification: false } as const;
    room.verbs.target = { ...target, agent: { node: 'n1', addresses, port } };
    const answer = await room.ask('/api/v1/namespaces/x/pods/a/log?follow=true');
    expect(answer.code).toBe(500);
    await waitFor('the connection to be closed', () => open.size === 0);
    expect(answer.json()).toMatchObject({
      message: expect.stringMatching(/without being asked$/) as unknown,
    });
  },
);
