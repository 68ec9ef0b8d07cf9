/** Connections that end all at once, as when a client is killed or a balancer restarts: a few in each turn of the event loop. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { ConnectionGate } from '../../../src/http/connection-gate.ts';
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

function opened(protocol: string): Promise<Peer> {
  const lower = connectTcp({ host: '127.0.0.1', port: room.server.port }).on('error', () => undefined);
  const { ca } = room.authority;
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

/** The most connections that the server closed in one turn, until all are closed. */
async function mostClosedInATurn(end: (peer: Peer) => void, peers: readonly Peer[]): Promise<number> {
  const closed = jest.spyOn(ConnectionGate.prototype as unknown as Record<'remove', () => void>, 'remove');
  let [before, most, isOver] = [0, 0, false];
  const nextTurn = (): void => {
    most = Math.max(most, closed.mock.calls.length - before);
    before = closed.mock.calls.length;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  for (const peer of peers) end(peer);
  await waitFor('the ends', () => closed.mock.calls.length >= peers.length);
  isOver = true;
  most = Math.max(most, closed.mock.calls.length - before);
  closed.mockRestore();
  return most;
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
    expect(await mostClosedInATurn(end, peers)).toBeLessThan(mostOfATurn);
  });
});
