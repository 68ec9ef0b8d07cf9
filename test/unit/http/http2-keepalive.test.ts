/** HTTP/2 clients that are gone without a word: a ping finds them, and their watches end; those that answer stay. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { flag, frame, frameType, greeting } from '../../../src/storage/etcd/http2/frames.ts';
import { connectHttp2 } from '../../support/http/http2-client.ts';
import { getFrame, Http2Peer } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const watch = '/api/v1/namespaces/x/pods?watch=1';
const patience = {
  ...{ handshakeMs: 10_000, headersMs: 10_000, requestMs: 10_000 },
  ...{ checkMs: 20, pingMs: 50, pongMs: 3_000 },
};

let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('http2-keepalive');
  room = await openRoom(folder.path, {}, patience);
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});
beforeEach(() => {
  room.verbs.watches.length = 0;
});

test('a client that answers no ping loses its connection, and its watch ends; one without streams gets none', async () => {
  const idle = connectHttp2(room.server.port, { ca: room.authority.ca });
  let pings = 0;
  idle.on('ping', () => (pings += 1));
  // It reads, but answers nothing but settings.
  const peer = await Http2Peer.open(room.server.port, room.authority.ca);
  peer.send(getFrame(1, watch));
  const opened = await waitFor('the watch', () => room.verbs.watches[0]);
  await waitFor('the end', () => peer.isClosed && opened.closed);
  expect(peer.of('ping')).toHaveLength(1);
  expect([pings, idle.destroyed]).toEqual([0, false]);
  idle.destroy();
});

test('clients that reset their connections behind the first watch are forgotten without a ping', async () => {
  const other = await makeTempFolder('http2-reset');
  await using stack = new AsyncDisposableStack();
  stack.defer(() => other.remove());
  const own = await openRoom(other.path, {}, { ...patience, pingMs: 600_000 });
  stack.defer(() => own.close());
  const { server, authority, verbs } = own;
  const acknowledged = frame({ type: frameType.settings, flags: flag.ack, stream: 0 }, Buffer.alloc(0));
  const many = Array.from({ length: 60 }, (_, i) => getFrame(1 + 2 * i, watch));
  const first = Buffer.concat([greeting(65_535), acknowledged, ...many]);
  // Another thread, so that they are faster than the server.
  const clients = new Worker(join(import.meta.dirname, '../../support/http/reset-clients.mjs'), {
    workerData: { port: server.port, ca: authority.ca, count: 200, parallel: 20, protocol: 'h2', first },
  });
  await once(clients, 'exit');
  expect(verbs.watches.length).toBeGreaterThan(0);
  await waitFor('the end of all watches', () => verbs.watches.every(({ closed }) => closed));
});

test('a client that answers is pinged again and again, and keeps its watch', async () => {
  const peer = await Http2Peer.open(room.server.port, room.authority.ca);
  peer.send(getFrame(1, watch));
  const opened = await waitFor('the watch', () => room.verbs.watches[0]);
  let answered = 0;
  await waitFor(
    'five pings',
    () => {
      for (const { payload } of peer.of('ping').slice(answered)) {
        answered += 1;
        peer.send(frame({ type: frameType.ping, flags: flag.ack, stream: 0 }, payload));
      }
      return answered === 5;
    },
    { interval: 5 },
  );
  expect([peer.isClosed, opened.closed]).toEqual([false, false]);
  peer.close();
});

test('a connection without any request is closed soon, one that had a request stays', async () => {
  const soon = await makeTempFolder('http2-unused');
  const other = await openRoom(soon.path, {}, { ...patience, headersMs: 200 });
  try {
    const [unused, used] = await Promise.all(
      [1, 2].map(() => Http2Peer.open(other.server.port, other.authority.ca)),
    );
    used?.send(getFrame(1, '/livez'));
    await waitFor('the answer', () => used?.of('data', 1).length);
    await waitFor('the end', () => unused?.isClosed);
    // Gracefully.
    expect(unused?.goAwayCode).toBe(0);
    expect(used?.goAwayCode).toBeUndefined();
    used?.close();
  } finally {
    await other.close();
    await soon.remove();
  }
});
