/** What the client of tests sends again when a server goes away: only what had no effect. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { makeMemoryPki, type MemoryPki } from '../../../src/pki/memory-pki.ts';
import { Transport } from '../../../src/testing/transport.ts';

const write = { method: 'POST', path: '/things', body: { name: 'one' } };

let pki: MemoryPki;
let server: Server;
/** Below TLS. */
let connection: Socket;
let transport: Transport;
/** Bodies of the writes that took effect. */
let effects: string[];
let recoveries: number;
/** What the server does instead of answering the next request that changes something. */
let failure: ((socket: Socket) => void) | undefined;

beforeAll(async () => {
  pki = await makeMemoryPki(Date.now());
});

beforeEach(async () => {
  effects = [];
  recoveries = 0;
  failure = undefined;
  server = createServer({ cert: pki.server.certificate, key: pki.server.key }, (request, response) => {
    void bodyOf(request).then((text) => {
      if (request.method !== 'GET') effects.push(text);
      const fail = failure;
      failure = undefined;
      if (fail) fail(request.socket);
      else response.end('done');
    });
  });
  server.on('connection', (socket: Socket) => (connection = socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  transport = new Transport({
    url: `https://127.0.0.1:${String(port)}`,
    ca: pki.ca.certificate,
    credentials: { token: 'secret' },
    recover: () => {
      recoveries += 1;
      return Promise.resolve();
    },
  });
  // The connection is kept for what comes next.
  expect(await transport.send({ method: 'GET', path: '/' })).toBe('done');
});

afterEach(() => {
  transport.close();
  server.closeAllConnections();
  server.close();
});

test('a write that took effect and lost its answer is not sent again', async () => {
  failure = (socket) => void socket.destroy();
  await expect(transport.send(write)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(effects).toEqual(['{"name":"one"}']);
  expect(recoveries).toBe(0);
});

test('nor is one without a body', async () => {
  failure = (socket) => void socket.destroy();
  await expect(transport.send({ method: 'DELETE', path: '/things/one' })).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
  expect(effects).toEqual(['']);
});

test('nor is one whose connection is reset below TLS', async () => {
  failure = () => void connection.resetAndDestroy();
  await expect(transport.send({ method: 'DELETE', path: '/things/one' })).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
  expect([effects, recoveries]).toEqual([[''], 0]);
});

test('a read is sent again', async () => {
  failure = (socket) => void socket.destroy();
  expect(await transport.send({ method: 'GET', path: '/' })).toBe('done');
  expect(recoveries).toBe(1);
});

test('a write on a kept connection that the server closed takes effect once', async () => {
  // As when the end of the connection and the write cross: the server reads no more.
  server.once('checkContinue', (request: IncomingMessage) => void request.socket.destroy());
  expect(await transport.send(write)).toBe('done');
  expect(recoveries).toBe(1);
  expect(effects).toEqual(['{"name":"one"}']);
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

test('a connection that is kept gathers no listeners', async () => {
  const counts: number[] = [];
  const note = (message: unknown): unknown =>
    counts.push((message as { request: ClientRequest }).request.socket?.listenerCount('secureConnect') ?? -1);
  subscribe('http.client.response.finish', note);
  for (let i = 0; i < 3; i += 1) await transport.send({ method: 'GET', path: '/' });
  unsubscribe('http.client.response.finish', note);
  expect(counts.length).toBe(3);
  expect(counts.at(-1)).toBe(counts[0]);
});

test('the wait for a server that is away ends with the request', async () => {
  const { port } = server.address() as AddressInfo;
  server.close();
  server.closeAllConnections();
  const away = new Transport({
    url: `https://127.0.0.1:${String(port)}`,
    ca: pki.ca.certificate,
    credentials: { token: 'secret' },
    recover: () => {
      stopping.abort(new Error('no longer'));
      return new Promise(() => undefined);
    },
  });
  const stopping = new AbortController();
  const asked = away.send({ ...write, signal: stopping.signal });
  await expect(asked).rejects.toThrow('no longer');
  away.close();
});
