/** Connections that end or begin to speak all at once, as when a client is killed or a balancer restarts: a few in each turn of the event loop. */
import { once } from 'node:events';
import {
  connect as connectTcp,
  createServer as createTcpServer,
  type AddressInfo,
  type Socket,
} from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { ConnectionGate } from '../../../src/http/connection-gate.ts';
import { EarlyReading } from '../../../src/http/early-reading.ts';
import { getFrame } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const count = 200;
/** What the budget of a turn allows of ends, of both protocols together, and what closes late. */
const mostOfATurn = 60;
/** Client connection preface and empty settings (RFC 9113, section 3.4). */
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
const patience = { handshakeMs: 30_000, headersMs: 30_000, requestMs: 60_000, checkMs: 5_000 };
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('ends');
  room = await openRoom(folder.path, {}, patience, { max: 1_000, maxPerAddress: 1_000, maxPending: 1_000 });
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

interface Peer {
  readonly lower: Socket;
  readonly upper: TLSSocket;
}

function opened(protocol: string, { server, authority } = room): Promise<Peer> {
  const lower = connectTcp({ host: '127.0.0.1', port: server.port }).on('error', () => undefined);
  const { ca } = authority;
  const upper = connect({ socket: lower, host: '127.0.0.1', ca, ALPNProtocols: [protocol] });
  upper.on('error', () => undefined);
  if (protocol === 'h2') upper.write(preface);
  return new Promise((resolve, reject) => {
    upper.once('secureConnect', () => {
      resolve({ lower, upper });
    });
    upper.once('close', reject);
  });
}

/** The most calls of a step of the gate in one turn, until it is called for each of the peers. */
async function mostInATurn<P>(
  step: 'remove' | 'wait',
  act: (peer: P) => void,
  peers: readonly P[],
): Promise<number> {
  const calls = jest.spyOn(ConnectionGate.prototype as unknown as Record<typeof step, () => void>, step);
  let [before, most, isOver] = [0, 0, false];
  const nextTurn = (): void => {
    most = Math.max(most, calls.mock.calls.length - before);
    before = calls.mock.calls.length;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  for (const peer of peers) act(peer);
  try {
    await waitFor(step, () => calls.mock.calls.length >= peers.length);
  } finally {
    isOver = true;
  }
  most = Math.max(most, calls.mock.calls.length - before);
  calls.mockRestore();
  return most;
}

/** Peers that say nothing, once the server has accepted them. */
async function silentPeers(): Promise<Socket[]> {
  const taken = jest.spyOn(ConnectionGate.prototype, 'take');
  const { port } = room.server;
  const peers = Array.from({ length: count }, () => connectTcp({ host: '127.0.0.1', port }));
  for (const peer of peers) peer.on('error', () => undefined);
  await waitFor('them to be accepted', () => taken.mock.calls.length >= count);
  taken.mockRestore();
  return peers;
}

const ways: readonly [string, (peer: Peer) => void][] = [
  ['close', ({ upper }) => upper.destroy()],
  ['are reset', ({ lower }) => lower.resetAndDestroy()],
];

describe.each(['http/1.1', 'h2'])('connections of %s', (protocol) => {
  test.each(ways)('that %s', async (_what, end) => {
    const peers: Peer[] = [];
    while (peers.length < count) {
      peers.push(...(await Promise.all(Array.from({ length: 50 }, () => opened(protocol)))));
    }
    expect(await mostInATurn('remove', end, peers)).toBeLessThan(mostOfATurn);
  });
});

test('connections of HTTP/2 with many streams', async () => {
  const watch = (_none: unknown, i: number): Buffer => getFrame(2 * i + 1, '/api/v1/pods?watch=1');
  const peers = await Promise.all(Array.from({ length: 20 }, () => opened('h2')));
  for (const { upper } of peers) upper.write(Buffer.concat(Array.from({ length: 50 }, watch)));
  await waitFor('all watches', () => room.verbs.watches.length === peers.length * 50);
  expect(await mostInATurn('remove', ({ upper }) => upper.destroy(), peers)).toBeLessThan(4);
});

describe('connections before their handshake', () => {
  const silentWays: readonly [string, (peer: Socket) => void][] = [
    ['close', (peer) => peer.destroy()],
    ['are reset', (peer) => peer.resetAndDestroy()],
  ];

  test.each(silentWays)('that %s', async (_what, end) => {
    expect(await mostInATurn('remove', end, await silentPeers())).toBeLessThan(mostOfATurn);
  });

  test('that send their first bytes', async () => {
    const peers = await silentPeers();
    expect(await mostInATurn('wait', (peer) => peer.write('\x16'), peers)).toBeLessThan(mostOfATurn);
    await mostInATurn('remove', (peer) => peer.destroy(), peers);
  });
});

/** The first bytes of a client of TLS. */
async function clientHello(): Promise<Buffer> {
  const listener = createTcpServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port });
  client.on('error', () => undefined);
  const [server] = (await once(listener, 'connection')) as [Socket];
  const [hello] = (await once(server, 'data')) as [Buffer];
  client.destroy();
  server.destroy();
  listener.close();
  return hello;
}

test('handshakes that have begun and end', async () => {
  const hello = await clientHello();
  const late = jest.spyOn(EarlyReading.prototype, 'noteLate');
  const peers = await silentPeers();
  for (const peer of peers) peer.resume().write(hello);
  await waitFor('all handshakes to wait for their clients', () => late.mock.calls.length >= count);
  late.mockRestore();
  expect(await mostInATurn('remove', (peer) => peer.end(), peers)).toBeLessThan(mostOfATurn);
});

test('a stop closes the connections of HTTP/2 a few in each turn', async () => {
  const own = await makeTempFolder('closes');
  const limits = { max: 1_000, maxPerAddress: 1_000, maxPending: 1_000 };
  const stopping = await openRoom(own.path, {}, patience, limits);
  const { ca } = stopping.authority;
  let [told, before, most, isOver] = [0, 0, 0, false];
  const clients = Array.from({ length: count }, () =>
    connectHttp2(`https://127.0.0.1:${String(stopping.server.port)}`, { ca }).on('goaway', () => (told += 1)),
  );
  await Promise.all(clients.map((client) => once(client, 'remoteSettings')));
  const ends = clients.map((client) => once(client, 'close'));
  const nextTurn = (): void => {
    most = Math.max(most, told - before);
    before = told;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  await Promise.all([stopping.server.close(patience.requestMs), ...ends]);
  isOver = true;
  await stopping.close();
  await own.remove();
  expect(told).toBe(count);
  expect(most).toBeLessThan(mostOfATurn);
});

test('a stop ends idle connections of HTTP/1.1 a few in each turn', async () => {
  const own = await makeTempFolder('ends-idle');
  const limits = { max: 1_000, maxPerAddress: 1_000, maxPending: 1_000 };
  const stopping = await openRoom(own.path, {}, patience, limits);
  const peers: Peer[] = [];
  while (peers.length < count) {
    peers.push(...(await Promise.all(Array.from({ length: 50 }, () => opened('http/1.1', stopping)))));
  }
  const stop = (): void => void stopping.server.close(patience.requestMs);
  expect(await mostInATurn('remove', stop, peers)).toBeLessThan(mostOfATurn);
  await stopping.close();
  await own.remove();
});
