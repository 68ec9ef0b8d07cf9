/** Names of nodes and services that no server answers hold no request for longer than a connection, nor one that is over. */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HostNames } from '../../../src/base/host-names.ts';
import type { Destination, PassedRequest, PassOn } from '../../../src/http/pass-on.ts';
import { usualPatience } from '../../../src/proxy/types.ts';
import { buildConnections } from '../../../src/server/connections/build-connections.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { nameAsked, nameServerAnswer } from '../../support/name-server.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let folder: TempFolder;
let silent: Datagrams;
let asked: string[];
/** To be answered when all is over, so that no lookup stays. */
const open: (() => void)[] = [];
let lookups = 0;
let clock: HandClock;
let passOn: PassOn;

function client(signal: AbortSignal): PassedRequest {
  const req = new IncomingMessage(new Socket());
  req.url = '/';
  return {
    ...{ req, res: new ServerResponse(req), user: 'ann', ownHeaders: [], signal },
    ...{ beginBody: () => undefined, beginResponse: () => undefined },
  };
}

const to = (node: string): Destination => ({
  target: {
    ...{ kind: 'node', scheme: 'http', port: '81' },
    agent: { node, addresses: [{ type: 'Hostname', address: node }], port: 10_250 },
  },
  ...{ purpose: 'proxy', path: '/', mount: '/', name: node },
});

beforeAll(async () => {
  folder = await makeTempFolder('unanswered-names');
  const [hosts, dnsSettings] = [join(folder.path, 'hosts'), join(folder.path, 'resolv.conf')];
  await writeFile(hosts, '');
  await writeFile(dnsSettings, 'nameserver 127.0.0.1\noptions timeout:30 attempts:1\n');
  silent = createSocket('udp4', (question, { port, address }) => {
    asked.push(nameAsked(question).name);
    open.push(() => silent.send(nameServerAnswer(question, undefined), port, address));
  });
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  const names = new HostNames({
    ...{ hosts, dnsSettings, port: silent.address().port },
    otherwise: () => Promise.reject(new Error()),
  });
  clock = new HandClock();
  ({ passOn } = buildConnections(
    { addressTypes: ['Hostname'], timeoutMs: 5_000, caFile: '', certFile: '', keyFile: '' },
    {
      ...{ environment: { ...systemEnvironment, clock }, apiDomain: 'example.com' },
      credentials: { nodeAgents: { ca: undefined, cert: undefined, key: undefined } },
      find: (name) => {
        lookups += 1;
        return names.addressesOf(name).finally(() => (lookups -= 1));
      },
    },
  ));
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  for (const answer of open) answer();
  await waitFor('the lookups to be over', () => lookups === 0);
  silent.close();
  await folder.remove();
});

test('the request ends when the time of a connection is over', async () => {
  const passed = passOn(client(new AbortController().signal), to('late.test'));
  const failed = expect(passed).rejects.toMatchObject({
    code: 503,
    message: 'error trying to reach service: lookup late.test: i/o timeout',
  });
  await waitFor('the server to be asked', () => asked.includes('late.test'));
  clock.advance(usualPatience.connectMs);
  await within('the end', 10_000, failed);
});

test('it ends at once when its client is gone, and nothing of it stays', async () => {
  const gone = new AbortController();
  const passed = passOn(client(gone.signal), to('gone.test'));
  const failed = expect(passed).rejects.toThrow();
  await waitFor('the server to be asked', () => asked.includes('gone.test'));
  gone.abort();
  await within('the end', 10_000, failed);
  expect(clock.timers).toBe(0);
});
