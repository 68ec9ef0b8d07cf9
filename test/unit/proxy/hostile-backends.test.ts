/** Backends that break the rules: the proxy gives up, in bounded time and memory. */
import type { Socket } from 'node:net';
import { waitFor } from '../../support/wait-for.ts';
import { ProxyBench } from './support.ts';

let bench: ProxyBench;
const timers: NodeJS.Timeout[] = [];
beforeEach(async () => {
  bench = new ProxyBench();
  await bench.open();
});
afterEach(async () => {
  timers.splice(0).forEach(clearInterval);
  await bench.close();
});

const plain = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** Writes the next piece every millisecond, for as long as the connection is there. */
function drip(socket: Socket, next: () => string): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(next());
  }, 1);
  timers.push(timer);
}

const hostile: [string, (socket: Socket) => void, RegExp][] = [
  [
    'sends informational responses without end',
    (socket) => drip(socket, () => 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    /1xx/,
  ],
  ['sends a head byte by byte', (socket) => drip(socket, () => 'x'), /Parse Error|in time/],
  [
    'sends a header byte by byte',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
      drip(socket, () => 'x');
    },
    /did not respond in time/,
  ],
  [
    'sends a head of a megabyte',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}`),
    /overflow/i,
  ],
  ['is silent', () => undefined, /did not respond in time/],
  [
    'resets the connection',
    (socket) => socket.once('data', () => socket.resetAndDestroy()),
    /ECONNRESET|without a response|hang up/,
  ],
  ['ends the connection', (socket) => socket.once('data', () => socket.end()), /hang up/],
  ['speaks no HTTP', (socket) => socket.write('SSH-2.0-x\r\n'), /Parse Error/],
];

describe.each([
  ['a request', plain],
  ['an upgrade', upgrade],
])('%s to a backend that', (_what, request) => {
  test.each(hostile)('%s is given up', async (_how, behave, message) => {
    bench.patience = { connectMs: 10_000, headMs: 300 };
    let isLeft = false;
    await bench.raw((socket) => {
      socket.on('close', () => (isLeft = true));
      behave(socket);
      socket.resume();
    });
    const { isOver } = bench.talk(request);
    await waitFor('the end', () => isOver() && isLeft);
    expect(bench.errors[0]?.name).toBe('BackendError');
    expect(bench.errors[0]?.message).toMatch(message);
  });

  test('does not listen is given up', async () => {
    const { isOver } = bench.talk(request);
    await waitFor('the end', isOver);
    expect(bench.errors[0]?.message).toMatch(/ECONNREFUSED|EACCES/);
  });

  test('does not finish its TLS handshake is given up', async () => {
    bench.patience = { connectMs: 300, headMs: 10_000 };
    await bench.raw((socket) => socket.resume());
    bench.backend = { ...bench.backend, scheme: 'https' };
    const { isOver } = bench.talk(request);
    await waitFor('the end', isOver);
    expect(bench.errors[0]?.message).toBe('the backend did not accept the connection in time');
  });
});

test('a backend that changes the protocol unasked is given up', async () => {
  await bench.raw((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
  });
  const { said, isOver } = bench.talk(plain);
  await waitFor('the end', isOver);
  expect(said()).toMatch(/^HTTP\/1.1 502/);
  expect(bench.errors[0]?.message).toMatch(/without being asked/);
});
