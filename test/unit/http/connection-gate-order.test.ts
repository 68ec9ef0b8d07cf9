/** In which order handshakes begin: by address and by the port that the client chose, in turn. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { clearRow, countsMemory, sharedCounts } from '../../../src/base/shared-counts.ts';
import { ConnectionGate } from '../../../src/http/connection-gate.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { waitFor } from '../../support/wait-for.ts';

const [port, checkPort] = [6443, 6444];
const sockets: Duplex[] = [];
let begun: string[] = [];
let gate: ConnectionGate;

/** A gate that lets so many be open that are not known yet. */
function openGate(maxPending: number, patience = { handshakeMs: 60_000, queueMs: 60_000 }): void {
  begun = [];
  const rejected = createServerMetrics(new Metrics()).rejectedConnections;
  gate = new ConnectionGate({ max: 0, maxPerAddress: 0, maxPending, ...patience, rejected });
}
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** An accepted connection whose first bytes have arrived; its handshake begins and does not end. */
function take(localPort: number, remotePort: number, remoteAddress = '10.0.0.1'): Socket {
  const socket = new Duplex({ read: () => undefined }) as Duplex & Partial<Socket>;
  Object.assign(socket, { remoteAddress, remotePort, localPort });
  socket.push('hello');
  sockets.push(socket);
  gate.take(socket as Socket, () => begun.push(`${String(localPort)} ${String(remotePort)}`));
  return socket as Socket;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a handshake at the second port waits for one of the first port at most, however many wait there', async () => {
  openGate(1_000);
  for (let i = 0; i < 300; i += 1) take(port, 10_000 + i);
  take(checkPort, 20_000);
  for (let i = 0; i < 10 && begun.length < 3; i += 1) await turn();
  expect(begun.slice(0, 2)).toContain('6444 20000');
});

test('handshakes that clients of the first port leave unfinished take no place from the second', async () => {
  openGate(1_000);
  for (let i = 0; i < 300; i += 1) take(port, 10_000 + i);
  // As many as may be unfinished; that they count for some milliseconds only does not matter for the order.
  for (let i = 0; i < 60; i += 1) await turn();
  const before = begun.length;
  expect(before).toBeGreaterThan(0);
  take(checkPort, 20_000);
  for (let i = 0; i < 10 && begun.length === before; i += 1) await turn();
  await turn();
  expect(begun.slice(before, before + 2)).toContain('6444 20000');
});

/** Connections of 200 that are closed while they wait: longer than a client may take for its handshake. */
async function closedInQueue(queueMs: number): Promise<number> {
  openGate(1_000, { handshakeMs: 20, queueMs });
  const taken = Array.from({ length: 200 }, (_, i) => take(port, 10_000 + i));
  const closed = (): number => taken.filter((socket) => socket.destroyed).length;
  await waitFor('the end of the queue', () => begun.length + closed() === taken.length);
  return closed();
}

test('the wait for a turn has a bound of its own, and is no part of the time that a client has', async () => {
  expect(await closedInQueue(60_000)).toBe(0);
  expect(await closedInQueue(20)).toBeGreaterThan(0);
});

test('connections to both ports from one remote port are two', () => {
  openGate(2);
  const known = take(port, 10_000);
  const unknown = take(checkPort, 10_000);
  gate.establish(known);
  take(checkPort, 10_001);
  // One too many who are not known: the oldest of them goes.
  take(checkPort, 10_002);
  expect([known.destroyed, unknown.destroyed]).toEqual([false, true]);
});

test('limits hold for the gates of all threads, and connections of one that has ended count no more', () => {
  const memory = countsMemory(2, 7n);
  const rejected = createServerMetrics(new Metrics()).rejectedConnections;
  const limits = { max: 5, maxPerAddress: 3, handshakeMs: 60_000, queueMs: 60_000, rejected };
  const gates = [0, 1].map(
    (row) => new ConnectionGate({ ...limits, counts: sharedCounts({ memory, row }) }),
  ) as [ConnectionGate, ConnectionGate];
  /** Whether it may stay, and is known. */
  const isTaken = (row: 0 | 1, remoteAddress: string, remotePort: number): boolean => {
    gate = gates[row];
    const socket = take(port, remotePort, remoteAddress);
    gate.establish(socket);
    return !socket.destroyed;
  };
  expect([isTaken(0, '10.0.0.1', 1), isTaken(0, '10.0.0.1', 2), isTaken(1, '10.0.0.1', 3)]).toEqual([
    true,
    true,
    true,
  ]);
  // Of one address.
  expect([isTaken(0, '10.0.0.1', 4), isTaken(1, '10.0.0.1', 5)]).toEqual([false, false]);
  // Of all.
  expect([isTaken(0, '10.0.0.2', 1), isTaken(1, '10.0.0.2', 2)]).toEqual([true, true]);
  expect([isTaken(0, '10.0.0.3', 1), isTaken(1, '10.0.0.3', 2)]).toEqual([false, false]);
  clearRow({ memory, row: 0 });
  expect([isTaken(1, '10.0.0.1', 6), isTaken(1, '10.0.0.3', 3)]).toEqual([true, true]);
});
