/** Bytes of HTTP/2 that cost time but bring nothing: Node does not say that they came, so connections are looked at. */
import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { SessionReads, type SessionReading } from '../../../src/http/http2/session-reading.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A connection whose client sends as fast as it is read. */
class EndlessSocket extends EventEmitter {
  readonly destroyed = false;
  stops = 0;
  isRead = true;
  bytes = 0;
  readonly _handle = {
    reading: true,
    writeQueueSize: 0,
    bytesWritten: 0,
    getBytes: (): number => this.bytes,
    get bytesRead(): number {
      return this.getBytes();
    },
    readStop: (): void => {
      if (this.isRead) this.stops += 1;
      this.isRead = false;
    },
    readStart: (): void => {
      this.isRead = true;
    },
  };

  floods = 0;

  follow(reads: SessionReads): SessionReading {
    return reads.follow(this as unknown as TLSSocket, {
      onFlood: () => (this.floods += 1),
      openStreams: () => 0,
    });
  }
}

const read = 64 * 1024;
let reads: SessionReads;
let others: SessionReads;

beforeEach(() => {
  reads = new SessionReads(() => false);
  others = new SessionReads(() => false);
});
afterEach(() => {
  reads.stop();
  others.stop();
});

test('connections with such bytes are stopped again and again, and all are read on', async () => {
  const sockets = Array.from({ length: 20 }, () => new EndlessSocket());
  for (const socket of sockets) socket.follow(reads);
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.isRead) socket.bytes += read;
  }, 0);
  await waitFor('three stops of each', () => sockets.every(({ stops }) => stops >= 3));
  const before = sockets.map(({ bytes }) => bytes);
  await waitFor('further reads of each', () => sockets.every(({ bytes }, i) => bytes > (before[i] ?? 0)));
  clearInterval(timer);
});

test('a connection that goes on with such bytes is a flood', async () => {
  const socket = new EndlessSocket();
  socket.follow(reads);
  const timer = setInterval(() => {
    if (socket.isRead) socket.bytes += 3 * read;
  }, 0);
  await waitFor('a flood', () => socket.floods > 0);
  clearInterval(timer);
});

test('window updates of a client that reads much, and bodies that nobody wants, are none', async () => {
  const [reader, sender, junk] = [new EndlessSocket(), new EndlessSocket(), new EndlessSocket()];
  reader.follow(reads);
  junk.follow(reads);
  const reading = sender.follow(reads);
  const timer = setInterval(() => {
    reader._handle.bytesWritten += 100 * read;
    reader.bytes += read;
    const body = Object.assign(new Readable({ read: () => undefined }), { endAfterHeaders: false });
    reading.noteHead(body as unknown as ServerHttp2Stream, 10, 500);
    body.destroy();
    sender.bytes += read - 1;
    junk.bytes += read;
  }, 5);
  await waitFor('as many other bytes, twice', () => junk.floods > 1);
  clearInterval(timer);
  expect([reader.floods, sender.floods]).toEqual([0, 0]);
});

test.each([
  ['a few of them', (socket: EndlessSocket) => (socket.bytes += 100)],
  [
    'a body',
    (socket: EndlessSocket, push: (bytes: Buffer) => void) => {
      socket.bytes += read;
      push(Buffer.alloc(read));
    },
  ],
])('a connection with %s is not', async (_what, send) => {
  const [junk, ordinary] = [new EndlessSocket(), new EndlessSocket()];
  junk.follow(reads);
  const body = new Readable({ read: () => undefined }).resume();
  const stream = Object.assign(body, { endAfterHeaders: false }) as unknown as ServerHttp2Stream;
  ordinary.follow(others).noteHead(stream, 10, 500);
  const timer = setInterval(() => {
    if (junk.isRead) junk.bytes += 3 * read;
    send(ordinary, (bytes) => body.push(bytes));
  }, 5);
  await waitFor('many stops of another one', () => junk.stops >= 10);
  clearInterval(timer);
  expect(ordinary.bytes).toBeGreaterThan(0);
  expect(ordinary.stops).toBe(0);
});
