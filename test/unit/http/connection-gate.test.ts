/** Connections and handshakes of those who are not known yet: bounded, and no address stands in the way of another. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Agent, request } from 'node:https';
import { ConnectionGate } from '../../../src/http/connection-gate.ts';
import { networkOf } from '../../../src/http/client-address.ts';
import type { Credential } from '../../support/pki.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempFolder;
let room: HttpRoom;
let client: Credential;
const sockets = new Set<Socket>();
const patience = { handshakeMs: 1_500, headersMs: 30_000, requestMs: 60_000, checkMs: 5_000 };
const limits = { max: 120, maxPerAddress: 100, maxPending: 60 };
const [here, there] = ['127.0.0.2', '127.0.0.3'];

beforeEach(async () => {
  folder = await makeTempFolder('gate');
  room = await openRoom(folder.path, {}, patience, limits);
  client = await room.authority.client({ commonName: 'tester' });
  const user = { name: 'tester', uid: '', groups: [], extra: {} };
  room.authenticate = () => ({ outcome: 'authenticated', user, authenticator: 'test' });
  room.authorize = () => ({ decision: 'allow', reason: '' });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await room.close();
  await folder.remove();
});

function kept<S extends Socket>(socket: S): S {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
  return socket;
}

function connected(localAddress: string): Socket {
  return connectTcp({ host: '127.0.0.1', port: room.server.port, localAddress });
}

function silent(localAddress: string): Socket {
  return kept(connected(localAddress));
}

function secure(localAddress: string): Promise<TLSSocket> {
  const { ca } = room.authority;
  // Only the upper socket is destroyed: Node breaks down where the lower one goes first while bytes are on their way.
  const lower = connected(localAddress).on('error', () => undefined);
  const socket = kept(connectTls({ socket: lower, host: '127.0.0.1', ca }));
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => {
      resolve(socket);
    });
    socket.once('close', () => {
      reject(new Error('closed'));
    });
  });
}

/** A get over a new connection, or one of the agent; gives the status code. */
function get(localAddress: string, agent: Agent | false = false): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port: room.server.port, path: '/livez', localAddress, agent };
    const req = request({ ...target, ca: room.authority.ca, cert: client.cert, key: client.key }, (res) => {
      res.resume().once('end', () => {
        resolve(res.statusCode);
      });
    });
    req.once('error', reject);
    req.end();
  });
}

async function counted(name: string): Promise<Record<string, number>> {
  const text = await room.metrics.text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return Object.fromEntries(
    lines.map((line) => [/"(.*)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]),
  );
}
const rejected = (): Promise<Record<string, number>> => counted('apiserver_rejected_connections_total');

test('silent connections are closed after a deadline', async () => {
  const one = silent(here).resume();
  const begun = performance.now();
  await waitFor('the end', () => one.closed, { timeout: 5_000 });
  expect(performance.now() - begun).toBeGreaterThan(1_000);
  expect(await rejected()).toMatchObject({ silent: 1 });
});

test('silent connections do not block others: the oldest are closed', async () => {
  const flood = Array.from({ length: 200 }, () => silent(here).resume());
  await waitFor('the flood', async () => (await rejected())['displaced'] === 140);
  await waitFor('their ends', () => flood.filter((socket) => socket.closed).length === 140);
  expect(await get(there)).toBe(200);
  expect(await get(here)).toBe(200);
});

test('established connections are not closed for others, and are bounded', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const statuses = await Promise.all(Array.from({ length: 40 }, () => get(there, agent)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  const held = Object.values(agent.freeSockets).flatMap((list) => list ?? []);
  const flood = Array.from({ length: 300 }, () => silent(here));
  await waitFor('the flood', async () => ((await rejected())['displaced'] ?? 0) >= 200);
  expect(held.some((socket) => socket.destroyed)).toBe(false);
  expect(await get(there, agent)).toBe(200);
  expect(flood.length).toBe(300);
  agent.destroy();
});

test('an address has no more connections than it may, when all are established', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  await Promise.all(Array.from({ length: 100 }, () => get(here, agent)));
  const open = Object.values(agent.freeSockets).flatMap((list) => list ?? []).length;
  const more = Array.from({ length: 101 - open }, () => secure(here));
  await Promise.all(more.slice(0, -1));
  await Promise.allSettled(more);
  const { 'address-limit': refused = 0, displaced = 0 } = await rejected();
  expect(refused + displaced).toBeGreaterThan(0);
  expect(await get(there)).toBe(200);
  agent.destroy();
});

/** Halves of handshakes that the gate lets through, which is what others wait for, however fast the machine is. */
function countedHandshakes(): { readonly count: () => number } {
  const gates = ConnectionGate.prototype as unknown as Record<'beginHandshake' | 'shaken', () => void>;
  const halves = [jest.spyOn(gates, 'beginHandshake'), jest.spyOn(gates, 'shaken')];
  return { count: () => halves.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
}

test('while one address floods with handshakes, another is served', async () => {
  const handshakes = countedHandshakes();
  let isOver = false;
  const floods = 20;
  const flood = Array.from({ length: floods }, async () => {
    while (!isOver)
      await secure(here).then(
        (socket) => socket.destroy(),
        () => undefined,
      );
  });
  const agent = new Agent({ keepAlive: true });
  await get(there, agent);
  await waitFor('the flood', () => handshakes.count() > 100);
  /** Halves of handshakes that came between a request and its answer, in ascending order. */
  const waits = async (ask: () => Promise<unknown>, times: number): Promise<number[]> => {
    const all: number[] = [];
    for (let i = 0; i < times; i += 1) {
      const before = handshakes.count();
      expect(await ask()).toBe(200);
      all.push(handshakes.count() - before);
    }
    return all.sort((a, b) => a - b);
  };
  const kept = await waits(() => get(there, agent), 60);
  const fresh = await waits(() => get(there), 5);
  isOver = true;
  await Promise.all(flood);
  jest.restoreAllMocks();
  // A request takes some turns of the event loop, in each of which two halves pass at most.
  expect(kept[30]).toBeLessThanOrEqual(8);
  // Both halves of those that are there already, and of few that come meanwhile.
  expect(fresh[2]).toBeLessThanOrEqual(3 * floods);
  agent.destroy();
});

test('handshakes that several addresses leave unfinished hardly delay another', async () => {
  await room.close();
  const calm = { ...patience, handshakeMs: 30_000 };
  room = await openRoom(folder.path, {}, calm, { max: 400, maxPerAddress: 200, maxPending: 300 });
  const beginning = Buffer.from('1603010200010001fc0303', 'hex');
  for (const address of [here, '127.0.0.4'])
    for (let i = 0; i < 100; i += 1) silent(address).write(beginning);
  await waitFor('them to be connected', () => [...sockets].every((socket) => socket.bytesWritten > 0));
  await secure(there);
  // None of them was given up before.
  expect(Object.values(await rejected()).every((count) => count === 0)).toBe(true);
});

test('bytes that are no handshake are counted as its failure', async () => {
  silent(here).write('GET / HTTP/1.1\r\n\r\n');
  await waitFor('the failure', async () => (await counted('apiserver_tls_handshake_errors_total'))[''] === 1);
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('limits by address: %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('handshakes that clients go on with all at once end one in a turn of the event loop', async () => {
  const count = 30;
  const gates = ConnectionGate.prototype as unknown as Record<'beginHandshake' | 'shaken', () => void>;
  const [begins, ends] = [jest.spyOn(gates, 'beginHandshake'), jest.spyOn(gates, 'shaken')];
  let [before, most, isOver] = [0, 0, false];
  const nextTurn = (): void => {
    most = Math.max(most, ends.mock.calls.length - before);
    before = ends.mock.calls.length;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  const peers = Array.from({ length: count }, () => new Stopped());
  await waitFor('the first halves', () => begins.mock.calls.length === count);
  for (const one of peers) one.goOn();
  await waitFor('the ends', () => ends.mock.calls.length === count);
  isOver = true;
  jest.restoreAllMocks();
  expect(most).toBeLessThanOrEqual(2);
});

/** A client that does not read what the server sends in the handshake until it goes on. */
class Stopped {
  readonly #socket: TLSSocket;
  received = '';

  constructor(protocol = 'http/1.1') {
    const lower = connected(here).on('error', () => undefined);
    const { ca } = room.authority;
    this.#socket = kept(connectTls({ socket: lower, host: '127.0.0.1', ca, ALPNProtocols: [protocol] }));
    lower.once('connect', () => handleOf(this.#socket).readStop());
    // As the clients of both protocols, it speaks first.
    this.#socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
    this.#socket.on('data', (bytes: Buffer) => (this.received += bytes.toString('latin1')));
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  goOn(): void {
    handleOf(this.#socket).readStart();
  }
}

function handleOf(socket: Socket): { readStop(): void; readStart(): void } {
  return (socket as unknown as { readonly _handle: ReturnType<typeof handleOf> })._handle;
}

test.each(['h2', 'http/1.1'])(
  'a handshake that is completed after its deadline opens no connection of %s',
  async (protocol) => {
    const late = new Stopped(protocol);
    await waitFor(
      'the deadline',
      async () => (await counted('apiserver_tls_handshake_errors_total'))[''] === 1,
      {
        timeout: 10_000,
      },
    );
    late.goOn();
    await waitFor('its end', () => late.isClosed, { timeout: 5_000 });
    expect(late.received).toBe('');
    expect(await get(there)).toBe(200);
  },
);
