/** The TCP proxy's failures, seen from both ends of an echoing connection. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.pipe(socket);
});
let proxy: TcpProxy;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  proxy = await TcpProxy.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => proxy.close());
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Talk {
  readonly socket: Socket;
  received: string;
  error: string;
}

function open(): Talk {
  const talk: Talk = {
    socket: connect({ port: Number(new URL(proxy.endpoint).port), host: '127.0.0.1' }),
    received: '',
    error: '',
  };
  talk.socket.setEncoding('utf8').on('data', (text) => (talk.received += String(text)));
  talk.socket.on('error', (error: NodeJS.ErrnoException) => (talk.error = error.code ?? 'unknown'));
  return talk;
}

async function say(talk: Talk, text: string): Promise<void> {
  talk.socket.write(text);
  await waitFor(`the echo of ${text}`, () => talk.received.endsWith(text));
}

test('passes bytes on and counts them', async () => {
  const talk = open();
  await say(talk, 'hello');
  expect(proxy.bytes).toEqual({ toServer: 5, toClient: 5 });
  expect(proxy.connections).toBe(1);
  talk.socket.destroy();
  await waitFor('the connection to go', () => proxy.connections === 0);
});

test('lets through no more bytes a second than it is told', async () => {
  proxy.throttle('toServer', 1_000);
  const talk = open();
  const began = performance.now();
  await say(talk, 'x'.repeat(200));
  await say(talk, 'y'.repeat(200));
  expect(performance.now() - began).toBeGreaterThan(390);
});

test('holds one direction back and passes on what it held', async () => {
  const talk = open();
  await say(talk, 'one');
  proxy.hold('toClient');
  talk.socket.write('two');
  await waitFor('the server to hear', () => proxy.bytes.toServer === 6);
  expect(talk.received).toBe('one');
  proxy.release('toClient');
  await waitFor('the answer', () => talk.received === 'onetwo');
  talk.socket.destroy();
});

test('holds the one connection that speaks next', async () => {
  const [quiet, speaking] = [open(), open()];
  const held = proxy.holdNext('toClient');
  speaking.socket.write('one');
  await held;
  speaking.socket.write('two');
  await say(quiet, 'other');
  expect(speaking.received).not.toContain('two');
  proxy.resume();
  await waitFor('what was held', () => speaking.received === 'onetwo');
});

test('silences one direction, of later connections as well', async () => {
  proxy.silence('toClient');
  const talk = open();
  talk.socket.write('one');
  await waitFor('the server to hear', () => proxy.bytes.toServer === 3);
  expect(talk.received).toBe('');
  proxy.release('toClient');
  await say(talk, 'two');
  expect(talk.received).toBe('onetwo');
});

test('suspends connections to come as well, until resumed', async () => {
  proxy.suspend();
  const talk = open();
  talk.socket.write('late');
  await waitFor('the connection', () => proxy.connections === 1);
  expect(proxy.bytes.toServer).toBe(0);
  proxy.resume();
  await waitFor('the answer', () => talk.received === 'late');
  talk.socket.destroy();
});

test('resets, refuses and accepts again', async () => {
  const talk = open();
  await say(talk, 'x');
  proxy.reset();
  await waitFor('the reset', () => talk.error === 'ECONNRESET');
  proxy.refuse();
  const refused = open();
  await waitFor('the refusal', () => refused.socket.destroyed);
  proxy.accept();
  const again = open();
  await say(again, 'y');
  again.socket.destroy();
});

test('delays and keeps the order', async () => {
  const talk = open();
  await say(talk, 'a');
  proxy.delay(50);
  const before = performance.now();
  talk.socket.write('b');
  await say(talk, 'c');
  expect(talk.received).toBe('abc');
  expect(performance.now() - before).toBeGreaterThan(80);
  talk.socket.destroy();
});

test('loses the next bytes of a direction with the connection', async () => {
  const talk = open();
  await say(talk, 'a');
  const lost = proxy.loseNext('toClient');
  talk.socket.write('b');
  await lost;
  await waitFor('the end', () => talk.socket.destroyed);
  expect(talk.received).toBe('a');
});
