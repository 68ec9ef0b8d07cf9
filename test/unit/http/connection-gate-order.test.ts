/** In which order handshakes begin: by address and by the port that the client chose, in turn. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ConnectionGate } from '../../../src/http/connection-gate.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';

const [port, checkPort] = [6443, 6444];
const sockets: Duplex[] = [];
let begun: string[] = [];
let gate: ConnectionGate;

/** A gate that lets so many be open that are not known yet. */
function openGate(maxPending: number): void {
  begun = [];
  const rejected = createServerMetrics(new Metrics()).rejectedConnections;
  gate = new ConnectionGate({ max: 0, maxPerAddress: 0, maxPending, handshakeMs: 60_000, rejected });
}
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** An accepted connection whose first bytes have arrived; its handshake begins and does not end. */
function take(localPort: number, remotePort: number): Socket {
  const socket = new Duplex({ read: () => undefined }) as Duplex & Partial<Socket>;
  Object.assign(socket, { remoteAddress: '10.0.0.1', remotePort, localPort });
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
