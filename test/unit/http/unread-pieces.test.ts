/** A body in chunks of a byte is kept in a few pieces until it is read, and is read whole. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  createServer as createHttp2Server,
  connect as connectHttp2,
  type Http2Server,
  type Http2Stream,
} from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { ConnectionReads } from '../../../src/http/connection-reading.ts';
import { UnreadPieces } from '../../../src/http/unread-pieces.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const waitMs = 5_000;
const most = 32;
const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

/** The pieces that a body keeps. */
function kept(body: Readable): number {
  const { buffer } = (body as unknown as { readonly _readableState: { readonly buffer: readonly unknown[] } })
    ._readableState;
  return buffer.length;
}

interface Stage {
  readonly body: Readable;
  /** Gives it a piece. */
  readonly push: (text: string | null) => boolean;
  /** Calls of its own `_read`. */
  reads: number;
}

function stage(): Stage {
  const made: Stage = {
    body: new Readable({ read: () => void (made.reads += 1) }),
    push: (text) => pieces.push(text === null ? null : Buffer.from(text)),
    reads: 0,
  };
  const pieces = new UnreadPieces(made.body);
  return made;
}

test('pieces of a byte are joined, up to the room of the body', () => {
  const { body, push } = stage();
  let taken = 1;
  while (push('x')) taken += 1;
  expect(taken).toBe(body.readableHighWaterMark);
  expect(kept(body)).toBeLessThan(most);
});

test('few pieces and long ones stay as they are, and their order', async () => {
  const { body, push } = stage();
  for (let i = 0; i < 10; i += 1) push('x');
  expect(kept(body)).toBe(10);
  for (let i = 0; i < 10; i += 1) push('y');
  push('z'.repeat(2_000));
  expect(kept(body)).toBe(18);
  push(null);
  expect(await textOf(body)).toBe(`${'x'.repeat(10)}${'y'.repeat(10)}${'z'.repeat(2_000)}`);
});

test.each([5, 100, 5_000])(
  'a reader that comes behind %d pieces gets them, and those that follow',
  async (before) => {
    const made = stage();
    for (let i = 0; i < before; i += 1) made.push(String(i % 10));
    const whole = textOf(made.body);
    await waitFor('the reader', () => made.reads > 0);
    for (let i = before; i < before + 50; i += 1) made.push(String(i % 10));
    made.push(null);
    expect(await whole).toBe(Array.from({ length: before + 50 }, (_, i) => String(i % 10)).join(''));
  },
);

test('a body that ended before it is read is whole', async () => {
  const { body, push } = stage();
  for (let i = 0; i < 3_000; i += 1) push(String(i % 7));
  push(null);
  expect(kept(body)).toBeLessThan(most);
  expect(await textOf(body)).toBe(Array.from({ length: 3_000 }, (_, i) => String(i % 7)).join(''));
});

const chunks = 6_000;

test('chunks of a connection', async () => {
  const reads = new ConnectionReads();
  const arrived = Promise.withResolvers<IncomingMessage>();
  const server: Server = createServer((req) => {
    reads.note(req);
    arrived.resolve(req);
  });
  server.on('connection', (socket) => {
    reads.follow(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  owned.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  owned.defer(() => void client.destroy());
  client.write(
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`,
  );
  const req = await within('the request', waitMs, arrived.promise);
  await waitFor('the body', () => req.complete, { timeout: waitMs });
  expect(kept(req)).toBeGreaterThan(0);
  expect(kept(req)).toBeLessThan(most);
  expect((await within('the text', waitMs, textOf(req))).length).toBe(chunks);
});

test('frames of a stream', async () => {
  const arrived = Promise.withResolvers<Http2Stream>();
  const server: Http2Server = createHttp2Server();
  server.on('stream', (stream) => {
    const pieces = new UnreadPieces(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => pieces.push(chunk, encoding);
    arrived.resolve(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connectHttp2(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  owned.defer(() => {
    session.destroy();
    server.close();
  });
  const request = session.request({ ':method': 'POST', ':path': '/' });
  const write = (): Promise<void> =>
    new Promise((resolve) =>
      request.write('x', () => {
        resolve();
      }),
    );
  for (let i = 0; i < 500; i += 1) await write();
  const stream = await within('the stream', waitMs, arrived.promise);
  expect(kept(stream)).toBeLessThan(most);
  const whole = textOf(stream);
  request.end('y');
  expect(await within('the text', waitMs, whole)).toBe(`${'x'.repeat(500)}y`);
});
