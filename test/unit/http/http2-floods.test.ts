/** Clients of HTTP/2 that send frames to cost the server more than themselves: each is bounded, and others are served. */
import { channel, type ChannelListener } from 'node:diagnostics_channel';
import type { ServerHttp2Stream } from 'node:http2';
import type { JsonObject } from '../../../src/base/json.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { getFrame, Http2Peer, requestBlock, resetFrame } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { defaultWatchLimits } from '../../../src/http/watch/open-watches.ts';
import { flag, frame, frameType, numberFrame } from '../../../src/storage/etcd/http2/frames.ts';
import type { Credential } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const code = { protocol: 1, internal: 2, flowControl: 3, refused: 7, cancel: 8, calm: 11 };

let folder: TempFolder;
/** Its deadlines are beyond those of the tests: a busy machine is slow to open connections and to answer (http2-deadlines.test.ts has those). */
let room: HttpRoom;
let peer: Http2Peer;

beforeAll(async () => {
  folder = await makeTempFolder('http2-floods');
  const watchLimits = { ...defaultWatchLimits, maxBufferedBytes: 256 * 1024 };
  room = await openRoom(folder.path, { watchLimits });
  room.verbs.entries = [podEntry('a', 1)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});
beforeEach(async () => {
  room.verbs.before = () => Promise.resolve();
  room.verbs.calls.length = 0;
  room.verbs.watches.length = 0;
  peer = await Http2Peer.open(room.server.port, room.authority.ca);
  // Nothing may come between the frames of a test.
  await waitFor('the settings of both', () => peer.of('settings').length === 2);
});
afterEach(async () => {
  peer.close();
  room.verbs.before = () => Promise.resolve();
  expect((await room.ask(`${pods}/a`)).code).toBe(200);
});

/** Numbers of streams that a client opens. */
const streams = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 * i + 1);
const ping = frame({ type: frameType.ping, flags: 0, stream: 0 }, Buffer.alloc(8));
const headers = (stream: number, flags: number, block: Buffer): Buffer =>
  frame({ type: frameType.headers, flags, stream }, block);
const data = (stream: number, text: string): Buffer =>
  frame({ type: frameType.data, flags: 0, stream }, Buffer.from(text));
const postHead = requestBlock('POST', pods, [['content-type', 'application/json']]);

async function isAnswered(stream: number): Promise<void> {
  await waitFor('an answer on the same connection', () => peer.of('data', stream).length > 0);
}

/** The Status that a stream is answered with. */
async function statusOf(client: Http2Peer, stream: number): Promise<JsonObject> {
  await waitFor('a Status', () =>
    client.of('data', stream).some(({ flags }) => (flags & flag.endStream) !== 0),
  );
  const text = Buffer.concat(client.of('data', stream).map(({ payload }) => payload)).toString();
  return JSON.parse(text) as JsonObject;
}

async function endsWith(...codes: readonly number[]): Promise<void> {
  await waitFor('the end of the connection', () => peer.isClosed);
  if (peer.goAwayCode !== undefined) expect(codes).toContain(peer.goAwayCode);
}

test('requests that are reset at once end the connection', async () => {
  for (const some of [streams(2_000).slice(0, 400), streams(2_000).slice(400)])
    peer.send(...some.flatMap((stream) => [getFrame(stream, pods), resetFrame(stream, code.cancel)]));
  await endsWith(code.calm, code.internal);
  expect(room.verbs.calls.length).toBeLessThan(600);
});

test('requests that make the server reset them end the connection', async () => {
  room.verbs.before = () => new Promise(() => undefined);
  const overflow = (stream: number): Buffer =>
    numberFrame({ type: frameType.windowUpdate, flags: 0, stream }, 0x7fff_ffff);
  peer.send(...streams(2_000).flatMap((stream) => [getFrame(stream, pods), overflow(stream)]));
  await endsWith(code.calm, code.flowControl, code.protocol);
  expect(room.verbs.calls.length).toBeLessThan(600);
});

test('a client that resets now and then is served', async () => {
  for (const stream of streams(80)) peer.send(getFrame(stream, pods), resetFrame(stream, code.cancel));
  peer.send(getFrame(999, `${pods}/a`));
  await isAnswered(999);
});

test('streams beyond the limit are refused, the others answered', async () => {
  const gates: (() => void)[] = [];
  room.verbs.before = () => new Promise((resolve) => gates.push(resolve));
  // Sent before the client can know the limit.
  const early = await Http2Peer.open(room.server.port, room.authority.ca);
  early.send(...streams(260).map((stream) => getFrame(stream, `${pods}/a`)));
  await waitFor('the refusals', () => early.of('reset').length === 10);
  const codes = early.of('reset').map((f) => f.payload.readUInt32BE(0));
  expect(codes).toEqual(Array(10).fill(code.refused));
  await waitFor('the others', () => gates.length === 250);
  for (const go of gates) go();
  await waitFor('their answers', () => early.of('headers').length === 250);
  early.close();
});

test('a client that knows the limit and exceeds it loses the connection', async () => {
  const gates: (() => void)[] = [];
  room.verbs.before = () => new Promise((resolve) => gates.push(resolve));
  peer.send(...streams(260).map((stream) => getFrame(stream, `${pods}/a`)));
  await endsWith(code.protocol);
  expect(room.verbs.calls.length).toBeLessThanOrEqual(250);
  for (const go of gates) go();
});

test.each([
  ['a client', true],
  ['a client that does not acknowledge the settings', false],
])(
  'headers of %s of more than 64 KiB, and more than 1,000 of them, are refused',
  async (_who, acknowledges) => {
    const known = await room.authority.client({ commonName: 'jane' });
    const client = await Http2Peer.open(room.server.port, room.authority.ca, 65_535, {
      acknowledges,
      client: known,
    });
    const large: [string, string][] = Array.from({ length: 10 }, (_, i) => [
      `x-${String(i)}`,
      'y'.repeat(7_000),
    ]);
    const many: [string, string][] = Array.from({ length: 1_100 }, (_, i) => [`x${String(i)}`, '']);
    for (const [stream, extra] of [
      [1, large],
      [3, many],
    ] as const) {
      const block = requestBlock('GET', `${pods}/a`, extra);
      const parts: Buffer[] = [];
      for (let at = 0; at < block.length; at += 16_000) parts.push(block.subarray(at, at + 16_000));
      client.send(
        ...parts.map((part, i) => {
          const flags = i === parts.length - 1 ? flag.endHeaders : 0;
          if (i === 0) return headers(stream, flags | flag.endStream, part);
          return frame({ type: frameType.continuation, flags, stream }, part);
        }),
      );
    }
    for (const stream of [1, 3])
      expect((await statusOf(client, stream))['message']).toContain('this connection may send 1000 headers');
    expect(room.verbs.calls).toEqual([]);
    client.send(getFrame(5, `${pods}/a`));
    await waitFor('an answer on the same connection', () => client.of('data', 5).length > 0);
    client.close();
  },
);

describe('a client that is not known yet', () => {
  const maxStreams = 3;
  const headersOf = (stream: number, count: number): Buffer => {
    const more = Array.from({ length: count }, (_, i): [string, string] => [`x${String(i)}`, '1']);
    return getFrame(stream, `${pods}/a`, more);
  };
  /** The number of streams that the server allows, in the order in which it has said so. */
  const allowed = (client: Http2Peer): number[] =>
    client.of('settings').flatMap(({ payload }) => {
      const pairs = Array.from({ length: payload.length / 6 }, (_, i) => 6 * i);
      return pairs
        .filter((at) => payload.readUInt16BE(at) === maxStreams)
        .map((at) => payload.readUInt32BE(at + 2));
    });

  test('has 100 streams until a request of it is authenticated', async () => {
    const { authenticate } = room;
    room.authenticate = () => Promise.resolve(undefined);
    expect(allowed(peer)).toEqual([100]);
    peer.send(getFrame(1, `${pods}/a`));
    await isAnswered(1);
    expect(allowed(peer)).toEqual([100]);
    room.authenticate = authenticate;
    peer.send(getFrame(3, `${pods}/a`));
    await isAnswered(3);
    await waitFor('the new limit', () => allowed(peer).length === 2);
    expect(allowed(peer)).toEqual([100, 250]);
  });

  test('has 128 headers for a request', async () => {
    peer.send(headersOf(1, 120), headersOf(3, 150), headersOf(5, 0));
    await isAnswered(1);
    await isAnswered(5);
    expect(await statusOf(peer, 3)).toMatchObject({
      ...{ kind: 'Status', code: 431, reason: 'RequestEntityTooLarge' },
      message: expect.stringContaining('128 headers, more with a client certificate') as string,
    });
  });

  test('gets a few of such answers, also with a body that it goes on to send, and then none', async () => {
    const withBody = frame(
      { type: frameType.headers, flags: flag.endHeaders, stream: 1 },
      requestBlock(
        'POST',
        pods,
        Array.from({ length: 200 }, (_, i): [string, string] => [`x${String(i)}`, '']),
      ),
    );
    peer.send(withBody, data(1, '{'));
    await statusOf(peer, 1);
    await waitFor('the end of the stream', () => peer.resetCode(1) !== undefined);
    expect(peer.resetCode(1)).toBe(0);
    const few = streams(200).slice(1);
    for (const stream of few) peer.send(headersOf(stream, 150));
    await waitFor('the end of the connection', () => peer.isClosed);
    expect(peer.of('data').length).toBeLessThan(40);
  });

  test('is one that shows no certificate of the client authority', async () => {
    const client = await room.authority.client({ commonName: 'jane' });
    const known = await Http2Peer.open(room.server.port, room.authority.ca, 65_535, { client });
    known.send(headersOf(1, 900));
    await waitFor('an answer', () => known.of('data', 1).length > 0);
    expect(allowed(known)).toEqual([250]);
    known.close();
  });
});

test('headers that go on in ever more frames end the connection', async () => {
  peer.send(headers(1, flag.endStream, requestBlock('GET', pods)));
  const more = frame({ type: frameType.continuation, flags: 0, stream: 1 }, Buffer.alloc(0));
  for (let i = 0; i < 100; i++) peer.send(more);
  await endsWith(code.protocol, code.calm, code.internal);
});

test('empty frames of a body end the connection', async () => {
  peer.send(headers(1, flag.endHeaders, postHead), ...Array<Buffer>(5_000).fill(data(1, '')));
  await endsWith(code.protocol, code.calm, code.internal);
});

test('a body in frames of a byte is 400', async () => {
  peer.send(headers(1, flag.endHeaders, postHead), ...Array<Buffer>(3_000).fill(data(1, ' ')));
  await isAnswered(1);
  expect(peer.of('data', 1)[0]?.payload.toString()).toContain('chunks of a few bytes');
  peer.send(getFrame(3, `${pods}/a`));
  await isAnswered(3);
});

test.each([
  ['pings', ping],
  ['settings', frame({ type: frameType.settings, flags: 0, stream: 0 }, Buffer.alloc(0))],
])('%s whose answers nobody reads are bounded', async (_what, flood) => {
  peer.socket.pause();
  const many = Buffer.concat(Array<Buffer>(20_000).fill(flood));
  await waitFor('the end of the connection', () => {
    if (!peer.socket.writableNeedDrain) peer.socket.write(many);
    return !peer.socket.writable;
  });
});

test('a watch whose client does not read is ended', async () => {
  const slow = await Http2Peer.open(room.server.port, room.authority.ca, 0);
  slow.send(getFrame(1, `${pods}?watch=1`));
  const watch = await waitFor('the watch', () => room.verbs.watches[0]);
  const item = { type: 'ADDED', event: podEntry('b', 2, 20_000) } as const;
  await waitFor('the reset', () => {
    if (!watch.closed) watch.sink.onItems([item]);
    return slow.resetCode(1) !== undefined;
  });
  slow.close();
});

test('frames out of order end the connection', async () => {
  peer.send(data(1, 'x'));
  await endsWith(code.protocol, 5);
});

test('bytes that are no HTTP/2 end the connection', async () => {
  peer.send(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  await endsWith(code.protocol, 6);
});

describe('many connections that send what is costly to parse, all at once', () => {
  const count = 12;
  /** A header of the dynamic table, of a byte each once it is there. */
  const many = (stream: number, flags: number, block: Buffer, first: boolean): Buffer => {
    const entry = first ? Buffer.from([0x40, 1, 0x61, 1, 0x62]) : Buffer.alloc(0);
    return headers(stream, flags, Buffer.concat([block, entry, Buffer.alloc(600, 0x80 | 62)]));
  };
  const whole = flag.endHeaders | flag.endStream;
  const get = requestBlock('GET', `${pods}/a`);

  async function openMany(client?: Credential): Promise<Http2Peer[]> {
    const options = client ? { client } : {};
    const peers = await Promise.all(
      Array.from({ length: count }, () =>
        Http2Peer.open(room.server.port, room.authority.ca, 65_535, options),
      ),
    );
    await waitFor('the settings of both', () => peers.every((one) => one.of('settings').length === 2));
    return peers;
  }

  /** The most headers that were read in one turn of the event loop, while the peers are served. */
  async function costliestTurn(
    frames: readonly Buffer[],
    done: (peer: Http2Peer) => boolean,
  ): Promise<number> {
    const peers = await openMany(await room.authority.client({ commonName: 'jane' }));
    let [most, now, isOver] = [0, 0, false];
    const created = channel('http2.server.stream.created');
    const onCreated: ChannelListener = (message) => {
      const { stream, headers: read } = message as { stream: ServerHttp2Stream; headers: object };
      now += Object.values(read).join().split(', ').length;
      stream.on('trailers', (_trailers: unknown, _flags: number, raw: readonly string[]) => {
        now += raw.length / 2;
      });
    };
    created.subscribe(onCreated);
    const nextTurn = (): void => {
      most = Math.max(most, now);
      now = 0;
      if (!isOver) setImmediate(nextTurn);
    };
    nextTurn();
    try {
      for (const one of peers) one.send(...frames);
      const areServed = (): boolean => peers.every((one) => one.isClosed || done(one));
      await waitFor('the answers', areServed, { timeout: 50_000 });
    } finally {
      isOver = true;
      created.unsubscribe(onCreated);
      for (const one of peers) one.close();
    }
    return most;
  }

  test('heads of hundreds of headers: one connection in a turn', async () => {
    const frames = streams(40).map((stream) => many(stream, whole, get, stream === 1));
    const most = await costliestTurn(frames, (one) => one.of('data').length === 40);
    // Those of one connection are 24,160.
    expect(most).toBeGreaterThan(5_000);
    expect(most).toBeLessThan(30_000);
  });

  test('trailers of hundreds of headers: one connection in a turn', async () => {
    const frames = streams(40).flatMap((stream) => [
      headers(stream, flag.endHeaders, postHead),
      many(stream, whole, Buffer.alloc(0), stream === 1),
    ]);
    const most = await costliestTurn(frames, (one) => one.of('data').length === 40);
    expect(most).toBeGreaterThan(5_000);
    expect(most).toBeLessThan(30_000);
  });

  const largeEntry = Buffer.from(`\x40\x01a\x7f\xbd\x1d${'y'.repeat(3_900)}`, 'latin1');
  const referring = (stream: number, references: number): Buffer => {
    const own = stream === 1 ? largeEntry : Buffer.alloc(0);
    return headers(stream, whole, Buffer.concat([get, own, Buffer.alloc(references, 0x80 | 62)]));
  };

  test('references to a large header: a few connections in a turn', async () => {
    const frames = streams(200).map((stream) => referring(stream, 15));
    const most = await costliestTurn(frames, (one) => one.of('data').length === 200);
    expect(most).toBeGreaterThan(1_000);
    expect(most).toBeLessThan(14_000);
  });

  test('heads beyond the limits: one connection in a turn, and it ends', async () => {
    const frames = streams(40).map((stream) => referring(stream, 28));
    const most = await costliestTurn(frames, () => false);
    expect(most).toBeLessThan(4_000);
    expect(room.verbs.calls).toEqual([]);
  });

  test('heads far beyond the limits are reset: the text of all that they refer to is not checked', async () => {
    const [one] = await openMany(await room.authority.client({ commonName: 'jane' }));
    one?.send(referring(1, 900), getFrame(3, `${pods}/a`));
    await waitFor('the answer to the next', () => (one?.of('data', 3).length ?? 0) > 0);
    expect(one?.resetCode(1)).toBe(code.calm);
  });
});
