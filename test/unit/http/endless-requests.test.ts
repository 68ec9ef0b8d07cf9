/** Clients that do not stop sending: requests behind requests, bodies behind answers, chunks of one byte. Their connections are closed. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type TLSSocket } from 'node:tls';
import { systemClock } from '../../../src/base/clock.ts';
import { createHttpServer, type Handler, type HttpServer } from '../../../src/http/server.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const head = `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
const megabyte = 1024 * 1024;
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('endless');
  room = await openRoom(folder.path);
});
const clients: TLSSocket[] = [];

afterEach(() => {
  for (const socket of clients.splice(0)) socket.destroy();
});
beforeEach(() => {
  room.authorize = () => Promise.resolve({ decision: 'allow', reason: '' });
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

interface Client {
  readonly socket: TLSSocket;
  readonly closed: Promise<void>;
  readonly text: () => string;
}

function open(port = room.server.port): Client {
  let text = '';
  const socket = connect({ host: '127.0.0.1', port, ca: room.authority.ca });
  clients.push(socket);
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, text: () => text };
}

/** Sends as fast as the server reads until it closes the connection. @returns what it answered */
async function sendEndlessly(first: string, rest: string): Promise<string> {
  const { socket, closed, text } = open();
  const go = (): void => {
    while (socket.writable && socket.write(rest)) if (socket.bytesWritten > 1024 * megabyte) socket.destroy();
  };
  socket.on('drain', go);
  socket.write(first);
  go();
  await within('the end of the connection', 30_000, closed);
  expect(socket.bytesWritten).toBeLessThan(64 * megabyte);
  return text();
}

const oneByte = '1\r\n \r\n'.repeat(2_000);
const large = `10000\r\n${' '.repeat(65_536)}\r\n`;

test.each([
  ['large chunks', large],
  ['chunks of one byte', oneByte],
])('a body without end behind a refusal, in %s', async (_what, rest) => {
  room.authorize = () => Promise.resolve({ decision: 'deny', reason: '' });
  const answer = await sendEndlessly(`${head}Transfer-Encoding: chunked\r\n\r\n`, rest);
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
});

test('an endless body that was not requested', async () => {
  const answer = await sendEndlessly(
    'GET /livez HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    large,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('a body in chunks of one byte is refused long before it is too large', async () => {
  const answer = await sendEndlessly(`${head}Transfer-Encoding: chunked\r\n\r\n`, oneByte);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('chunks of a few bytes');
});

test('a few small chunks are nothing unusual', async () => {
  const { socket, closed, text } = open();
  const body = '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"small"}}';
  const chunks = Array.from(body, (letter) => `1\r\n${letter}\r\n`).join('');
  socket.write(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  await within('the answer', 30_000, closed);
  expect(text()).toMatch(/^HTTP\/1\.1 201 /);
});

test('behind a refusal the rest of an ordinary body is dropped, and the next request answered', async () => {
  room.authorize = () => Promise.resolve({ decision: 'deny', reason: '' });
  const { socket, text } = open();
  socket.write(`${head}Content-Length: ${String(megabyte)}\r\n\r\n`);
  await waitFor('the refusal', () => text().includes('"code":403'));
  socket.write(' '.repeat(megabyte));
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor('the next answer', () => text().match(/HTTP\/1\.1 403 /g)?.length === 2);
  socket.destroy();
});

/** Sends a body of more than is dropped, and reads the answer to the end. @returns the answer, and whether the connection broke */
async function sendTooLarge(headers: string, body: string): Promise<{ answer: string; isReset: boolean }> {
  const { socket, text, closed } = open();
  let isReset = false;
  socket.once('error', () => (isReset = true));
  socket.write(`${head}${headers}\r\n\r\n${body}`);
  socket.write(`DELETE ${pods}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
  await within('the end of the connection', 30_000, closed);
  return { answer: text(), isReset };
}

test.each([
  ['announced', `Content-Length: ${String(4 * megabyte)}`, ' '.repeat(4 * megabyte)],
  ['in chunks', 'Transfer-Encoding: chunked', `${large.repeat(64)}0\r\n\r\n`],
])(
  'behind a body too large to be dropped, %s, the answer says that the connection ends',
  async (_how, headers, body) => {
    room.verbs.calls.length = 0;
    const { answer, isReset } = await sendTooLarge(headers, body);
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\nConnection: close\r\n/);
    expect(answer).toContain('"reason":"RequestEntityTooLarge"');
    expect(isReset).toBe(false);
    // A request behind it is not served without an answer.
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(room.verbs.calls).toEqual([]);
  },
);

test('of large bodies that are refused ever again, some are dropped; nothing is read of the others', async () => {
  room.authorize = () => Promise.resolve({ decision: 'deny', reason: '' });
  // None of them becomes free.
  const now = jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic());
  const push = jest.spyOn(IncomingMessage.prototype, 'push');
  const length = 3 * megabyte;
  const kept: boolean[] = [];
  for (let i = 0; i < 14; i += 1) {
    const { socket, text } = open();
    socket.write(`${head}Content-Length: ${String(length)}\r\n\r\n${' '.repeat(length)}`);
    await waitFor('the refusal', () => text().includes('"code":403'));
    kept.push(!text().includes('\r\nConnection: close\r\n'));
    if (kept.at(-1) === false) push.mockClear();
    socket.destroy();
  }
  const read = push.mock.calls.reduce((sum, [piece]) => sum + ((piece as Buffer | null)?.length ?? 0), 0);
  push.mockRestore();
  now.mockRestore();
  expect(kept.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => true));
  expect(kept.slice(-2)).toEqual([false, false]);
  // Of the last one; some comes with the head.
  expect(read).toBeLessThan(megabyte);
});

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** A server of its own, which makes its requests of these classes. */
async function serveWith(classes: NonNullable<Handler['classes']>, listener: Listener): Promise<HttpServer> {
  const nothing = (): void => undefined;
  const handler: Handler = Object.assign(listener.bind(undefined), { classes, drain: nothing });
  const { cert, key } = await room.authority.server('counting');
  const logger = { debug: nothing } as unknown as Logger;
  return createHttpServer({ host: '127.0.0.1', port: 0, tls: { cert, key }, handler, logger });
}

test.each([
  ['without a host', 'GET / HTTP/1.1\r\n\r\n', 20_000, 1],
  ['behind one that is not answered', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 20_000, 0],
  ['with large heads', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`, 50, 0],
])('of many requests %s that come at once, Node hands over few', async (_what, bytes, times, answers) => {
  let requests = 0;
  class CountedRequest extends IncomingMessage {
    constructor(...args: ConstructorParameters<typeof IncomingMessage>) {
      super(...args);
      requests += 1;
    }
  }
  const classes = { incoming: CountedRequest, outgoing: ServerResponse };
  const server = await serveWith(classes, () => undefined);
  const { socket, closed, text } = open(server.port);
  socket.write(bytes.repeat(times));
  await within('the end of the connection', 30_000, closed);
  await server.close(0);
  expect(text().match(/HTTP\/1\.1 400 /g) ?? []).toHaveLength(answers);
  expect(requests).toBeLessThan(Math.min(times, 1_000));
});

describe('many connections that send what is costly to parse, all at once', () => {
  const count = 12;
  const times = 3;
  type Read = Record<'chunks' | 'heads' | 'bytes', number>;
  const chunks = (of: string, number: number): string =>
    `GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${of.repeat(number)}0\r\n\r\n`;

  /** The most that was read in one turn of the event loop, until all requests are answered. */
  async function costliestTurn(sent: string, requests: number): Promise<Read> {
    const most = { chunks: 0, heads: 0, bytes: 0 };
    const now = { ...most };
    let isOver = false;
    class CountedRequest extends IncomingMessage {
      constructor(...args: ConstructorParameters<typeof IncomingMessage>) {
        super(...args);
        now.heads += 1;
      }
      override push(chunk: unknown, encoding?: BufferEncoding): boolean {
        now.chunks += 1;
        now.bytes += chunk instanceof Uint8Array ? chunk.length : 0;
        return super.push(chunk, encoding);
      }
    }
    const server = await serveWith({ incoming: CountedRequest, outgoing: ServerResponse }, (req, res) => {
      req.resume().on('end', () => res.writeHead(200, { 'Content-Length': 0 }).end());
    });
    const peers = Array.from({ length: count }, () => open(server.port));
    await Promise.all(peers.map(({ socket }) => once(socket, 'secureConnect')));
    const nextTurn = (): void => {
      most.chunks = Math.max(most.chunks, now.chunks);
      most.heads = Math.max(most.heads, now.heads);
      most.bytes = Math.max(most.bytes, now.bytes);
      Object.assign(now, { chunks: 0, heads: 0, bytes: 0 });
      if (!isOver) setImmediate(nextTurn);
    };
    nextTurn();
    for (let i = 0; i < times; i++) for (const { socket } of peers) socket.write(sent);
    const answers = (peer: Client): number => peer.text().match(/HTTP\/1\.1 200 /g)?.length ?? 0;
    await waitFor('the answers', () => peers.every((peer) => answers(peer) === times * requests));
    isOver = true;
    for (const { socket } of peers) socket.destroy();
    await server.close(0);
    return most;
  }

  test('chunks of one byte: one connection in a turn', async () => {
    const most = await costliestTurn(chunks('1\r\n \r\n', 10_000), 1);
    // A connection reads 64 KiB, 11,000 chunks, beyond the budget; all together send 360,000.
    expect(most.chunks).toBeGreaterThan(1_000);
    expect(most.chunks).toBeLessThan(60_000);
  });

  test('heads of hundreds of headers: one connection in a turn', async () => {
    const one = `GET / HTTP/1.1\r\nHost: x\r\n${'a:1\r\n'.repeat(900)}\r\n`;
    const most = await costliestTurn(one.repeat(10), 10);
    // A connection reads 64 KiB, 15 heads, beyond the budget of 12; all together send 360.
    expect(most.heads).toBeGreaterThan(1);
    expect(most.heads).toBeLessThan(100);
  });

  test.each([
    ['large', 2 * megabyte, 1],
    ['of 40 KB', 40_000, 20],
  ])('plain bodies, %s: about a megabyte in a turn', async (_size, length, requests) => {
    const one = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(length)}\r\n\r\n${' '.repeat(length)}`;
    const most = await costliestTurn(one.repeat(requests), requests);
    // A connection reads up to 32 times 64 KiB, which takes 3 ms to decrypt and to hand over.
    expect(most.bytes).toBeGreaterThan(64 * 1024);
    expect(most.bytes).toBeLessThan(1.5 * megabyte);
  });
});

test('requests that take long, of many connections at once: one or two begin in a turn', async () => {
  let [begun, most] = [0, 0];
  const classes = { incoming: IncomingMessage, outgoing: ServerResponse };
  const server = await serveWith(classes, (_req, res) => {
    begun += 1;
    for (const end = performance.now() + 8; performance.now() < end;);
    res.writeHead(200, { 'Content-Length': 0 }).end();
  });
  const peers = Array.from({ length: 20 }, () => open(server.port));
  await Promise.all(peers.map(({ socket }) => once(socket, 'secureConnect')));
  const nextTurn = (): void => {
    most = Math.max(most, begun);
    begun = 0;
    if (peers.some((peer) => peer.text() === '')) setImmediate(nextTurn);
  };
  nextTurn();
  for (const { socket } of peers) socket.write(`GET /${'a'.repeat(50_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await waitFor('the answers', () => peers.every((peer) => peer.text().startsWith('HTTP/1.1 200 ')));
  await server.close(0);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(3);
});
