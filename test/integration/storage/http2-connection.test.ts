/** The connection below calls to etcd, against another implementation of HTTP/2. */
import { once } from 'node:events';
import {
  constants,
  createServer,
  sensitiveHeaders,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

import fc from 'fast-check';

import { systemClock } from '../../../src/base/clock.ts';
import { FrameReader, frameType } from '../../../src/storage/etcd/http2/frames.ts';
import type { AnswerStream } from '../../../src/storage/etcd/etcd-line.ts';
import { GrpcLine } from '../../../src/storage/etcd/grpc-line.ts';
import { transportNames } from '../../../src/storage/options.ts';
import type { UnaryMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { framed } from '../../../src/storage/etcd/grpc-message.ts';
import { waitFor } from '../../support/wait-for.ts';

const echo: UnaryMethod<Buffer, Buffer> = {
  path: '/test/Echo',
  encode: (bytes) => bytes,
  decode: (bytes) => Buffer.from(bytes),
};

const patienceMs = 30_000;

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A server that is closed with all its connections when the test is over. */
async function serve(handler: Handler, settings: Settings = {}): Promise<string> {
  const server: Http2Server = createServer({ settings });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    handler(stream, headers);
  });
  return listening(server);
}

async function listening(server: Server | Http2Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.reverse()) close();
  closers = [];
});

/** Answers with what was asked. */
function echoing(trailers: Record<string, string> = { 'grpc-status': '0' }): Handler {
  return (stream) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers(trailers);
      });
      stream.end(Buffer.concat(parts));
    });
  };
}

function bytesOf(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 31 + seed) & 0xff));
}

describe.each(transportNames)('over the transport %s', (transport) => {
  async function connect(url: string, keepAlive?: { everyMs: number; timeoutMs: number }): Promise<GrpcLine> {
    const line = await GrpcLine.connect(
      url,
      { clock: systemClock, tls: undefined, transport, ...(keepAlive && { keepAlive }) },
      patienceMs,
    );
    closers.push(() => {
      line.close(0);
    });
    return line;
  }

  const peers: [string, Settings][] = [
    ['usual windows', {}],
    ['a window of 1,000 bytes for each stream', { initialWindowSize: 1_000 }],
    ['no window at first', { initialWindowSize: 0 }],
    ['two streams at once', { maxConcurrentStreams: 2 }],
    ['no table of headers', { headerTableSize: 0 }],
  ];

  test.each(peers)('bodies of all sizes come through a peer with %s', async (_name, settings) => {
    const handler = echoing();
    const line = await connect(
      await serve((stream, headers) => {
        // Told once, when somebody waits for it.
        if (settings.initialWindowSize === 0 && stream.id === 1)
          stream.session?.settings({ initialWindowSize: 65_535 });
        handler(stream, headers);
      }, settings),
    );
    const sizes = [0, 1, 999, 1_000, 16_383, 16_384, 16_379, 65_535, 70_000, 200_000, 0, 5];
    const answers = await Promise.all(
      sizes.map((size, seed) => line.call(echo, bytesOf(size, seed), patienceMs)),
    );
    answers.forEach((answer, seed) => {
      expect(answer.equals(bytesOf(sizes[seed] ?? 0, seed))).toBe(true);
    });
  });

  test('answers that are larger than all windows come through', async () => {
    const large = Buffer.alloc(24 * 1024 * 1024, 'abcdefg');
    const line = await connect(
      await serve((stream) => {
        stream.respond({ ':status': 200 }, { waitForTrailers: true });
        stream.on('wantTrailers', () => {
          stream.sendTrailers({ 'grpc-status': '0' });
        });
        stream.end(framed(large));
      }),
    );
    for (let round = 0; round < 2; round += 1)
      expect((await line.call(echo, Buffer.alloc(0), patienceMs)).equals(large)).toBe(true);
  });

  test('headers say the same however often they are sent, tokens and all', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const answer = echoing();
    const url = await serve((stream, headers) => {
      seen.push(headers);
      answer(stream, headers);
    });
    const line = await connect(url);
    const other = { ...echo, path: '/test/Another' };
    for (const method of [echo, other, echo, other, echo])
      await line.call(method, Buffer.from('x'), 61_234.5);
    const token = 't'.repeat(5_000);
    line.useToken(token);
    await line.call(echo, Buffer.from('x'), 70_000);
    const common = {
      ...{ ':method': 'POST', ':scheme': 'http', ':authority': new URL(url).host },
      ...{ te: 'trailers', 'content-type': 'application/grpc' },
    };
    const expected = ['Echo', 'Another', 'Echo', 'Another', 'Echo'].map((name) => ({
      ...{ ...common, ':path': `/test/${name}`, 'grpc-timeout': '61235m' },
    }));
    expect(seen.map((headers) => Object.fromEntries(Object.entries(headers)))).toEqual([
      ...expected,
      { ...common, ':path': '/test/Echo', 'grpc-timeout': '70000m', token },
    ]);
    // No peer on the way may keep what proves who we are.
    const secrets: unknown = Object.getOwnPropertyDescriptor(seen.at(-1), sensitiveHeaders)?.value;
    expect(secrets).toEqual(['token']);
  });

  test('texts in trailers are read, whatever is in them', async () => {
    let details = '';
    const line = await connect(
      await serve((stream) => {
        stream.respond({ ':status': 200, 'grpc-status': '9', 'grpc-message': details }, { endStream: true });
      }),
    );
    const anyText = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
    });
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        details = encodeURIComponent(text);
        await expect(line.call(echo, Buffer.alloc(0), patienceMs)).rejects.toMatchObject({
          code: 9,
          details: text,
        });
      }),
    );
  });

  /** A server of one stream of answers, and what a client hears of it. */
  async function streaming(answers: (stream: ServerHttp2Stream) => void) {
    const line = await connect(await serve(answers));
    const heard: Buffer[] = [];
    const end = Promise.withResolvers<Error | undefined>();
    const stream: AnswerStream = line.stream(echo, Buffer.from('x'), {
      onAnswer: (answer) => heard.push(answer),
      onEnd: end.resolve,
    });
    return { line, heard, end: end.promise, stream };
  }

  test('a stream delivers its messages in order, and its end', async () => {
    const { heard, end, line } = await streaming((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      const all = Buffer.concat([framed(Buffer.from('one')), framed(Buffer.from('two'))]);
      stream.write(all.subarray(0, 4));
      stream.write(all.subarray(4, 10));
      stream.end(all.subarray(10));
    });
    expect(await end).toBeUndefined();
    expect(heard.map(String)).toEqual(['one', 'two']);
    expect(line.isUp).toBe(true);
  });

  test('a stream that is paused holds the peer back, and goes on where it was', async () => {
    const message = framed(Buffer.alloc(64 * 1024));
    const count = 200;
    let written = 0;
    const sent = await streaming((stream) => {
      stream.respond({ ':status': 200 });
      const write = (): void => {
        while (written < count) {
          written += 1;
          if (!stream.write(message)) return;
        }
      };
      stream.on('drain', write);
      write();
    });
    sent.stream.pause();
    await waitFor('the first answers', () => written > 10);
    let before = -1;
    await waitFor('the peer to stop', () => {
      const isStill = before === written;
      before = written;
      return isStill;
    });
    expect(sent.heard).toEqual([]);
    // No more than the window of the stream, and what the peer keeps for itself.
    expect(written).toBeLessThan(100);
    sent.stream.resume();
    await waitFor('the rest', () => sent.heard.length === count);
  });

  test('a cancelled stream delivers nothing more, and is reset', async () => {
    const asked = Promise.withResolvers<ServerHttp2Stream>();
    const { heard, stream, line } = await streaming((found) => {
      found.respond({ ':status': 200 });
      asked.resolve(found);
    });
    const found = await asked.promise;
    found.write(framed(Buffer.from('one')));
    await waitFor('an answer', () => heard.length === 1);
    stream.cancel();
    await waitFor('the cancellation', () => found.rstCode === constants.NGHTTP2_CANCEL);
    expect(line.isUp).toBe(true);
  });

  /** A peer that sends settings, and never anything again. */
  function silentPeer(): Promise<string> {
    const silent = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    });
    return listening(silent);
  }

  test('a peer that is asked for a sign of life is given up without one, long before its next ping', async () => {
    const seldom = { everyMs: 3_600_000, timeoutMs: 3_600_000 };
    const ends: (Error | undefined)[] = [];
    const onEnd = (error: Error | undefined): void => void ends.push(error);
    const answering = await connect(await serve(() => undefined), seldom);
    const silent = await connect(await silentPeer(), seldom);
    for (const line of [answering, silent]) {
      line.stream(echo, Buffer.from('x'), { onAnswer: () => undefined, onEnd });
      line.check();
    }
    // The one that answers was asked first.
    await waitFor('the end of the silent one', () => !silent.isUp);
    expect([ends, answering.isUp]).toMatchObject([[{ code: 14 }], true]);
  });

  test('a peer that gives no sign of life is given up', async () => {
    const line = await connect(await silentPeer(), { everyMs: 20, timeoutMs: 20 });
    const end = Promise.withResolvers<Error | undefined>();
    line.stream(echo, Buffer.from('x'), { onAnswer: () => undefined, onEnd: end.resolve });
    expect(await end.promise).toMatchObject({ code: 14 });
    expect(line.isUp).toBe(false);
  });

  test.each([
    ['a frame that is too large', [0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]],
    ['a push', [0, 0, 4, 5, 4, 0, 0, 0, 1, 0, 0, 0, 2]],
    ['headers that make no sense', [0, 0, 1, 1, 4, 0, 0, 0, 1, 0xbe]],
    ['headers that are interrupted', [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x88, 0, 0, 0, 0, 1, 0, 0, 0, 1]],
    ['a continuation of nothing', [0, 0, 1, 9, 4, 0, 0, 0, 1, 0x88]],
    ['a short reset', [0, 0, 1, 3, 0, 0, 0, 0, 1, 0]],
  ])('a peer that sends %s is given up', async (_name, bytes) => {
    const strange = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
      let asked = 0;
      socket.on('data', (part) => {
        asked += part.length;
        // Behind the greeting comes the question.
        if (asked > 100) socket.write(Buffer.from(bytes));
      });
    });
    const line = await connect(await listening(strange));
    await expect(line.call(echo, Buffer.alloc(100), patienceMs)).rejects.toMatchObject({ code: 14 });
    expect(line.isUp).toBe(false);
  });

  /** A peer that takes one stream at once, and says what it is told to when it is asked for the first. */
  async function narrow(onAsked: (socket: Socket) => void): Promise<{ line: GrpcLine; streams: number[] }> {
    const streams: number[] = [];
    const peer = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1]));
      const frames = new FrameReader(({ type, stream }) => {
        if (type !== frameType.headers) return;
        streams.push(stream);
        if (streams.length === 1) onAsked(socket);
      });
      let greeting = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;
      socket.on('data', (part: Buffer) => {
        const skipped = Math.min(greeting, part.length);
        greeting -= skipped;
        frames.read(part.subarray(skipped));
      });
    });
    return { line: await connect(await listening(peer)), streams };
  }

  test('a peer that goes away gets nothing of what waited for a place', async () => {
    const { line, streams } = await narrow((socket) => {
      socket.write(Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    });
    const calls = [1, 2, 3].map(() => line.call(echo, Buffer.from('x'), patienceMs));
    const ends = await Promise.allSettled(calls);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { kind: 'notSent' } });
    expect(streams).toEqual([1]);
  });

  test('a call that finds no place in time was not sent, and says nothing against the connection', async () => {
    const { line, streams } = await narrow(() => undefined);
    const first = line.call(echo, Buffer.from('x'), patienceMs);
    first.catch(() => undefined);
    await expect(line.call(echo, Buffer.from('x'), 20)).rejects.toMatchObject({
      kind: 'notSent',
      isLate: false,
    });
    expect(streams).toEqual([1]);
    expect(line.isUp).toBe(true);
  });
});

test('an address without a port is that of the usual one', async () => {
  const { openSocket } = await import('../../../src/storage/etcd/http2/socket.ts');
  const silent = { onReady: () => undefined, onData: () => undefined, onError: () => undefined };
  const ports = ['http://127.0.0.1', 'https://127.0.0.1', 'http://127.0.0.1:1'].map((url) => {
    const socket = openSocket(new URL(url), undefined, silent);
    const told = once(socket, 'connectionAttempt') as Promise<[string, number]>;
    return told.then(([, port]) => port).finally(() => socket.destroy());
  });
  expect(await Promise.all(ports)).toEqual([80, 443, 1]);
});
