/** Many requests at once over TLS: few handshakes with one server at a time, none of them in vain. */
import type { ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { PacedAgent } from '../../../src/base/paced-agent.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
/** Takes connections and says nothing, but for the first ones. */
let silent: TcpServer;
let takes: number;
let respond: (res: ServerResponse) => void;
let clock: HandClock;
let agent: PacedAgent;
const held = new Set<Socket>();
const host = '127.0.0.1';

beforeAll(async () => {
  folder = await makeTempFolder('paced-agent');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('paced');
  server = createServer({ cert, key }, (req, res) => {
    req.resume().on('end', () => {
      respond(res);
    });
  });
  silent = createTcpServer((socket) => {
    takes -= 1;
    if (takes >= 0) server.emit('connection', socket);
    else held.add(socket.on('error', () => undefined).resume());
  });
  for (const one of [server, silent]) await new Promise<void>((resolve) => one.listen(0, host, resolve));
});
beforeEach(() => {
  clock = new HandClock();
  takes = 0;
  respond = (res) => res.end('{}');
  held.clear();
});
afterEach(() => {
  agent.destroy();
  for (const socket of held) socket.destroy();
});
afterAll(async () => {
  server.closeAllConnections();
  for (const one of [server, silent]) await new Promise((resolve) => one.close(resolve));
  await folder.remove();
});

function portOf(one: Server | TcpServer): number {
  return (one.address() as AddressInfo).port;
}

/** Resolves with the code; 0 if there is none. */
function ask(port: number, signal = new AbortController().signal): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = (): void => {
      request({ host, port, agent, signal }, (res) => {
        res.resume().on('end', () => {
          resolve(res.statusCode ?? 0);
        });
      })
        .on('error', () => {
          resolve(0);
        })
        .end();
    };
    Promise.resolve(agent.begin({ host, port }, signal, send)).catch(reject);
  });
}

test('handshakes that take long let the next ones begin, and nobody waits for those of another server', async () => {
  agent = new PacedAgent(clock, { ca: authority.ca });
  const lost = Array.from({ length: 20 }, () => ask(portOf(silent)));
  await waitFor('the first connections', () => held.size === 8);
  expect(await ask(portOf(server))).toBe(200);
  expect(held.size).toBe(8);
  clock.advance(20);
  await waitFor('further connections', () => held.size === 16);
  clock.advance(20);
  await waitFor('the last connections', () => held.size === 20);
  agent.destroy();
  expect(await Promise.all(lost)).toEqual(lost.map(() => 0));
  expect(clock.timers).toBe(0);
});

test('a request that waits takes the connection that is free first', async () => {
  agent = new PacedAgent(clock, { ca: authority.ca }, { keepAlive: true });
  takes = 1;
  let answer: (() => void) | undefined;
  respond = (res) => {
    answer = () => res.end('{}');
  };
  const first = ask(portOf(silent));
  await waitFor('the first request', () => answer !== undefined);
  const lost = Array.from({ length: 8 }, () => ask(portOf(silent)));
  await waitFor('handshakes', () => held.size === 8);
  const waiting = ask(portOf(silent));
  respond = (res) => res.end('{}');
  answer?.();
  expect([await first, await waiting]).toEqual([200, 200]);
  expect(held.size).toBe(8);
  agent.destroy();
  await Promise.all(lost);
});

test('a request that is given up leaves the line', async () => {
  agent = new PacedAgent(clock, { ca: authority.ca });
  const rest = Array.from({ length: 8 }, () => ask(portOf(silent)));
  const stop = new AbortController();
  const waiting = ask(portOf(silent), stop.signal);
  stop.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  await expect(ask(portOf(silent), stop.signal)).rejects.toThrow('given up');
  clock.advance(1_000);
  agent.destroy();
  await Promise.all(rest);
  expect(held.size).toBeLessThanOrEqual(8);
});

test('certificates that cannot be read fail the request, not the process', async () => {
  agent = new PacedAgent(systemClock, { ca: '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----' });
  expect(await ask(portOf(server))).toBe(0);
});

test('many calls of one webhook begin few handshakes at once', async () => {
  const url = new URL(`https://${host}:${String(portOf(silent))}/`);
  const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
  const transport = new HttpsTransport(access, { clock });
  const stop = new AbortController();
  const call = (): Promise<unknown> => transport.json({ method: 'POST', path: '/' }, stop.signal);
  const calls = Promise.allSettled(Array.from({ length: 60 }, call));
  agent = new PacedAgent(clock, { ca: authority.ca });
  await waitFor('the first connections', () => held.size >= 8);
  expect(await ask(portOf(server))).toBe(200);
  expect(held.size).toBe(8);
  stop.abort();
  expect((await calls).every(({ status }) => status === 'rejected')).toBe(true);
  transport.close();
});
