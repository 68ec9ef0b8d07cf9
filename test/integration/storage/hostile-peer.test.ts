/** A peer that poses as etcd and wants memory: it is cut off, and callers hear why. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { systemClock } from '../../../src/base/clock.ts';
import {
  flag,
  frame,
  FrameReader,
  frameType,
  numberFrame,
  setting,
  settingsFrame,
} from '../../../src/storage/etcd/http2/frames.ts';
import type { AnswerListener, AnswerStream } from '../../../src/storage/etcd/etcd-line.ts';
import { GrpcLine } from '../../../src/storage/etcd/grpc-line.ts';
import type { UnaryMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { transportNames, type TransportName } from '../../../src/storage/options.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const prefaceBytes = 24;
const callMs = 20_000;
/** A peer that may send so much, and is not cut off, is not bounded. */
const mostSent = 400 * 1024 * 1024;

const echo: UnaryMethod<Buffer, Buffer> = {
  path: '/test/Echo',
  encode: (bytes) => bytes,
  decode: (bytes) => Buffer.from(bytes),
};

/** What the peer says to the first request, again and again. */
interface Attack {
  /** Sent once. */
  readonly opening?: (stream: number) => Buffer;
  /** Sent until the connection is cut. */
  readonly flood?: (stream: number) => Buffer;
  /** Takes nothing of what is said to it. */
  readonly isDeaf?: boolean;
}

interface Peer {
  readonly url: string;
  /** Bytes that were sent when the connection was cut. */
  readonly sent: () => number;
  readonly isCut: () => boolean;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function pose({ opening, flood, isDeaf = false }: Attack): Promise<Peer> {
  let sent = 0;
  let isCut = false;
  const attack = async (socket: Socket, stream: number): Promise<void> => {
    if (isDeaf) socket.pause();
    if (opening) socket.write(opening(stream));
    if (!flood) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const one = flood(stream);
    const chunk = Buffer.concat(
      Array.from({ length: Math.max(1, Math.floor(65_536 / one.length)) }, () => one),
    );
    while (!isCut && sent < mostSent) {
      sent += chunk.length;
      if (!socket.write(chunk))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
  };
  const server = createServer((socket) => {
    const reader = new FrameReader(({ type, stream }) => {
      if (type === frameType.headers && stream === 1) void attack(socket, stream);
    });
    let missing = prefaceBytes;
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(missing, chunk.length);
      missing -= skipped;
      reader.read(chunk.subarray(skipped));
    });
    socket.on('error', () => undefined).on('close', () => (isCut = true));
    socket.write(settingsFrame([]));
    closers.push(() => socket.destroy());
  });
  closers.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, sent: () => sent, isCut: () => isCut };
}

async function connect(peer: Peer, transport: TransportName): Promise<GrpcLine> {
  const line = await GrpcLine.connect(peer.url, { clock: systemClock, tls: undefined, transport }, callMs);
  closers.push(() => {
    line.close(0);
  });
  return line;
}

const head = (type: number, stream: number, flags = 0): { type: number; flags: number; stream: number } => ({
  ...{ type, flags, stream },
});
const empty = Buffer.alloc(0);
const status200 = Buffer.from([0x88]);
const headers = (stream: number): Buffer =>
  frame(head(frameType.headers, stream, flag.endHeaders), status200);
const data = (stream: number, bytes: Buffer): Buffer => frame(head(frameType.data, stream), bytes);
const prefix = (length: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
};

const megabyte = 1024 * 1024;
/** What lies in buffers of sockets counts, too. */
const mostTaken = 16 * megabyte;
/** Node's module shows no frames: what it takes is looked at now and then. */
const mostTakenByNode = 64 * megabyte;
/** Node's module has words of its own, and what it leaves to us is counted in bytes. */
const nodeError =
  /lost \(.*(Protocol error|PROTOCOL_ERROR|Flow control error|Flooding was detected|[Tt]oo many .*frames).*\)/;
/** Node's module lets a table have its first size until the peer takes our settings: the stream alone ends. */
const tableGrows = 'a table of headers that grows';
const attacks: [what: string, attack: Attack, error: RegExp][] = [
  [
    'headers that go on in empty frames without end',
    {
      opening: (stream) => frame(head(frameType.headers, stream), status200),
      flood: (stream) => frame(head(frameType.continuation, stream), empty),
    },
    /headers come in too many frames/,
  ],
  [
    'headers of many kilobytes',
    {
      opening: (stream) => frame(head(frameType.headers, stream), status200),
      flood: (stream) => frame(head(frameType.continuation, stream), Buffer.alloc(16_384)),
    },
    /headers are too large/,
  ],
  [
    'headers again and again',
    { flood: (stream) => frame(head(frameType.headers, stream, flag.endHeaders), Buffer.alloc(300, 0x88)) },
    /too many headers/,
  ],
  [
    tableGrows,
    {
      opening: (stream) =>
        frame(head(frameType.headers, stream, flag.endHeaders), Buffer.from([0x3f, 0xe1, 0x1f])),
    },
    /table of headers grows/,
  ],
  [
    'a header of a table that there is not',
    {
      opening: (stream) =>
        frame(head(frameType.headers, stream, flag.endHeaders), Buffer.from([0xff, 0x80, 0x01])),
    },
    /header field \d+ is unknown/,
  ],
  [
    'pings',
    { flood: () => frame(head(frameType.ping, 0), Buffer.alloc(8)) },
    /too many .*PING|does not read replies/,
  ],
  [
    'pings, without taking the replies',
    { flood: () => frame(head(frameType.ping, 0), Buffer.alloc(8)), isDeaf: true },
    /too many .*PING|does not read replies/,
  ],
  ['settings', { flood: () => settingsFrame([]) }, /too many .*SETTINGS|does not read replies/],
  [
    'many settings at a time',
    {
      flood: () =>
        settingsFrame(
          Array.from({ length: 2_700 }, (_, i) => [setting.initialWindow, 65_535 + (i % 2)] as const),
        ),
    },
    /too many .*SETTINGS/,
  ],
  ['priorities', { flood: () => frame(head(frameType.priority, 3), Buffer.alloc(5)) }, /too many/],
  ['frames of no known type', { flood: () => frame(head(0xbe, 3), Buffer.alloc(9)) }, /too many/],
  ['resets', { flood: () => numberFrame(head(frameType.reset, 3), 8) }, /too many .*RST_STREAM/],
  ['data without any', { flood: (stream) => data(stream, empty) }, /too many .*DATA/],
  ['data of another stream', { flood: () => data(3, Buffer.alloc(64)) }, /too many .*DATA/],
  [
    'headers of another stream',
    { flood: () => frame(head(frameType.headers, 3, flag.endHeaders), Buffer.alloc(64, 0x88)) },
    /too many .*HEADERS/,
  ],
  [
    'windows that grow by a byte',
    { flood: () => numberFrame(head(frameType.windowUpdate, 0), 1) },
    /too many .*WINDOW_UPDATE/,
  ],
  [
    'a window of the connection that is too large',
    { opening: () => numberFrame(head(frameType.windowUpdate, 0), 2 ** 31 - 1) },
    /beyond 2\^31-1/,
  ],
  [
    'a window of the stream that is too large',
    { opening: (stream) => numberFrame(head(frameType.windowUpdate, stream), 2 ** 31 - 1) },
    /beyond 2\^31-1/,
  ],
  [
    'a window that grows by nothing',
    { opening: () => numberFrame(head(frameType.windowUpdate, 0), 0) },
    /grow by nothing/,
  ],
  [
    'a first window that is too large',
    { opening: () => settingsFrame([[setting.initialWindow, 2 ** 31]]) },
    /beyond 2\^31-1/,
  ],
  [
    'a ping of seven bytes',
    { opening: () => frame(head(frameType.ping, 0), Buffer.alloc(7)) },
    /has 7 bytes/,
  ],
  ['settings of a stream', { opening: () => frame(head(frameType.settings, 1), empty) }, /about a stream/],
  [
    'more padding than bytes',
    { opening: (stream) => frame(head(frameType.data, stream, flag.padded), Buffer.from([9, 0])) },
    /more padding/,
  ],
];

describe.each(transportNames)('over the transport %s', (transport) => {
  const isNode = transport === 'node';
  const bound = isNode ? mostTakenByNode : mostTaken;
  const reason = (builtin: RegExp): RegExp => (isNode ? nodeError : builtin);

  const survived = isNode ? [tableGrows] : [];
  const deadly = attacks.filter(([what]) => !survived.includes(what));
  test.each(deadly)('%s: the connection ends, and the caller hears why', async (_what, attack, error) => {
    const peer = await pose(attack);
    const line = await connect(peer, transport);
    await expect(line.call(echo, Buffer.from('x'), callMs)).rejects.toThrow(reason(error));
    // Node's module may end the stream first.
    if (!isNode) expect(line.isUp).toBe(false);
    await waitFor('the connection to be cut', peer.isCut, { timeout: 40_000 });
    await waitFor('the connection to be given up', () => !line.isUp, { timeout: 40_000 });
    expect(peer.sent()).toBeLessThan(bound);
  });

  describe('an answer without bounds ends with its call', () => {
    const answers: [what: string, attack: Attack, error: RegExp][] = [
      [
        'a message of 4 GB',
        {
          opening: (stream) => Buffer.concat([headers(stream), data(stream, prefix(2 ** 32 - 1))]),
          flood: (stream) => data(stream, Buffer.alloc(16_384)),
        },
        /larger than max/,
      ],
      [
        'a message in pieces of a byte',
        {
          opening: (stream) => Buffer.concat([headers(stream), data(stream, prefix(megabyte))]),
          flood: (stream) => data(stream, Buffer.alloc(1)),
        },
        /no message/,
      ],
      [
        'more than one message',
        {
          opening: (stream) => Buffer.concat([headers(stream), data(stream, prefix(0))]),
          flood: (stream) => data(stream, Buffer.alloc(16_384)),
        },
        /no message/,
      ],
    ];

    test.each(answers)('%s', async (_what, attack, error) => {
      const line = await connect(await pose(attack), transport);
      await expect(line.call(echo, Buffer.from('x'), callMs)).rejects.toThrow(error);
      // What still comes of it is dropped, and in the end the peer, too.
      await waitFor('the connection to be given up', () => !line.isUp, { timeout: 40_000 });
    });
  });

  describe('a stream that is paused', () => {
    async function pausedAt(attack: Attack): Promise<{ end: Promise<Error | undefined>; peer: Peer }> {
      const peer = await pose(attack);
      const line = await connect(peer, transport);
      const ended = Promise.withResolvers<Error | undefined>();
      const listener: AnswerListener<Buffer> = { onAnswer: () => undefined, onEnd: ended.resolve };
      const stream: AnswerStream = line.stream(
        { ...echo, isUrgent: true } as never,
        Buffer.from('x'),
        listener,
      );
      stream.pause();
      await waitFor('the connection to be cut', peer.isCut, { timeout: 40_000 });
      stream.resume();
      return { end: within('the end', 5_000, ended.promise), peer };
    }

    test('gets no more than its window holds', async () => {
      const { end, peer } = await pausedAt({
        opening: headers,
        flood: (stream) => data(stream, Buffer.alloc(16_384)),
      });
      expect(String(await end)).toMatch(reason(/more data came than the window/));
      expect(peer.sent()).toBeLessThan(bound);
    });

    test('gets no more pieces than it can hold', async () => {
      const { end, peer } = await pausedAt({
        opening: headers,
        flood: (stream) => data(stream, Buffer.alloc(1)),
      });
      expect(String(await end)).toMatch(reason(/too many pieces/));
      expect(peer.sent()).toBeLessThan(bound);
    });
  });
});
