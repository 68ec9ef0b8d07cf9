/** The load of the whole state: slow, interrupted, overtaken by compaction, with objects of any size. */
import { keyAfter } from '../../../src/storage/keys.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { createEtcdStorage, type EtcdStorage } from '../../../src/storage/storage.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  calmTimes,
  directClient,
  forever,
  mostRecent,
  noMetrics,
  pods,
  quickTimes,
  recordingLogger,
  startStorage,
} from '../../support/storage.ts';

let cluster: EtcdCluster;
let etcd: EtcdClient;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process', extraArgs: ['--max-request-bytes=20000000'] });
  etcd = directClient(cluster.endpoints);
});
afterAll(async () => {
  etcd.close();
  await cluster.close();
});

interface Fill {
  readonly prefix: string;
  readonly count: number;
  readonly bytes: number;
  readonly collection?: string;
}

/** Puts objects in, as if somebody had created them. */
async function fill({ prefix, count, bytes, collection = pods }: Fill): Promise<void> {
  const value = Buffer.from(JSON.stringify({ text: 'x'.repeat(bytes) }));
  const atOnce = Math.max(1, Math.min(100, Math.floor(1_000_000 / bytes)));
  for (let i = 0; i < count; i += atOnce) {
    const keys = Array.from({ length: Math.min(atOnce, count - i) }, (_, n) => nameOf(i + n));
    const success = keys.map((name) => ({
      request_put: { key: Buffer.from(`${prefix}/${collection}/${name}`), value },
    }));
    await etcd.txn({ compare: [], success, failure: [] });
  }
}

const nameOf = (i: number): string => `ns/p${String(i).padStart(6, '0')}`;

/** Starts a storage without waiting; whoever starts it closes it. */
function open(endpoint: string, prefix: string, lines: string[] = [], times = {}): Promise<EtcdStorage> {
  const options = { endpoints: [endpoint], prefix, compactionIntervalMs: 0, metrics: noMetrics };
  return createEtcdStorage({ ...options, logger: recordingLogger(lines), times: { ...calmTimes, ...times } });
}

/** Keys and revisions as the storage sees them, and as etcd has them. */
function seen(storage: EtcdStorage): string[] {
  return Array.from(storage.view(pods).entries('', ''), ({ key, modRevision }) => `${key} ${modRevision}`);
}

async function stored(prefix: string): Promise<string[]> {
  const root = `${prefix}/${pods}/`;
  const range = { key: Buffer.from(root), range_end: Buffer.from(`${prefix}/${pods}0`) };
  const { kvs } = await etcd.range(range);
  return kvs.map((kv) => `${kv.key.toString().slice(root.length)} ${Number(kv.mod_revision)}`);
}

const halfLoaded = (storage: EtcdStorage, objects: number) =>
  waitFor('a part of the load', () => (storage.loading()?.objects ?? 0) >= objects);

test('a load may take longer than any deadline as long as pages come, and says how far it is', async () => {
  const prefix = '/slow';
  await fill({ prefix, count: 1_200, bytes: 10_000 });
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 1_500_000);
  const lines: string[] = [];
  const storage = await open(proxy.endpoint, prefix, lines, quickTimes);
  try {
    const steps: number[] = [];
    const noted = setInterval(() => steps.push(storage.loading()?.pages ?? 0), 100);
    const start = performance.now();
    await storage.ready();
    clearInterval(noted);
    expect(performance.now() - start).toBeGreaterThan(3 * quickTimes.operation);
    expect(storage.stats()).toMatchObject({ objects: 1_200, loads: 1 });
    expect(storage.loading()).toBeUndefined();
    expect(new Set(steps).size).toBeGreaterThan(3);
    const told = lines.filter((line) => line.startsWith('loading state'));
    expect(told[0]).toMatch(/"revision":\d+,"objects":\d+,"bytes":\d+,"pages":\d+,"ms":\d+/);
  } finally {
    await storage.close();
  }
}, 60_000);

test('a load that is interrupted goes on where it was', async () => {
  const prefix = '/interrupted';
  await fill({ prefix, count: 1_500, bytes: 10_000 });
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 20_000_000);
  const storage = await open(proxy.endpoint, prefix);
  try {
    for (const objects of [200, 600, 1_000]) {
      await halfLoaded(storage, objects);
      proxy.reset();
    }
    await storage.ready();
    expect(seen(storage)).toEqual(await stored(prefix));
    // What was read before each interruption was not read again: at most the pages that were under way.
    expect(proxy.bytes.toClient).toBeLessThan(15_000_000 + 3 * 10_000_000);
    expect(storage.stats().loads).toBe(1);
  } finally {
    await storage.close();
  }
}, 60_000);

test('a revision that is compacted while it is loaded: only what changed is read again', async () => {
  const prefix = '/overtaken';
  await fill({ prefix, count: 2_000, bytes: 10_000 });
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 20_000_000);
  const storage = await open(proxy.endpoint, prefix);
  const key = (i: number): Buffer => Buffer.from(`${prefix}/${pods}/${nameOf(i)}`);
  try {
    for (const objects of [500, 1_200]) {
      await halfLoaded(storage, objects);
      proxy.silence('toClient');
      // Of what was read and of what was not: changed, removed, removed and made again, new.
      for (const i of [3, objects - 100, 1_900]) await etcd.put({ key: key(i), value: Buffer.from('"new"') });
      for (const i of [objects - 60, 1_950, objects - 40]) {
        await etcd.txn({ compare: [], success: [{ request_delete_range: { key: key(i) } }], failure: [] });
      }
      await etcd.put({ key: key(objects - 40), value: Buffer.from('"again"') });
      await etcd.put({ key: keyAfter(key(10)), value: Buffer.from('"between"') });
      const { header } = await etcd.put({ key: keyAfter(key(1_999)), value: Buffer.from('"last"') });
      await etcd.compact(Number(header.revision));
      proxy.release('toClient');
    }
    await storage.ready();
    expect(seen(storage)).toEqual(await stored(prefix));
    expect(storage.peek(pods, nameOf(3))?.bytes.toString()).toBe('"new"');
    expect(storage.peek(pods, nameOf(1_160))?.bytes.toString()).toBe('"again"');
    expect(proxy.bytes.toClient).toBeLessThan(20_000_000 + 2 * 10_000_000);
  } finally {
    await storage.close();
  }
}, 60_000);

test('a revision that is compacted while it is loaded: what cannot be read of it is not forgotten', async () => {
  const prefix = '/overtaken-unreadable';
  await fill({ prefix, count: 1_000, bytes: 10_000 });
  const sealed = Buffer.from(':enc:aescbc:v1:lost:0123456789abcdef');
  await etcd.put({ key: Buffer.from(`${prefix}/${pods}/${nameOf(5)}`), value: sealed });
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  proxy.throttle('toClient', 20_000_000);
  const storage = await open(proxy.endpoint, prefix);
  try {
    await halfLoaded(storage, 500);
    proxy.silence('toClient');
    const changed = Buffer.from(`${prefix}/${pods}/${nameOf(3)}`);
    const { header } = await etcd.put({ key: changed, value: Buffer.from('"new"') });
    await etcd.compact(Number(header.revision));
    proxy.release('toClient');
    await storage.ready();
    expect(storage.peek(pods, nameOf(3))?.bytes.toString()).toBe('"new"');
    expect(storage.stats()).toMatchObject({ objects: 999, unreadable: 1 });
    await expect(storage.get(pods, nameOf(5), mostRecent, forever)).rejects.toMatchObject({
      code: 'unreadable',
    });
  } finally {
    await storage.close();
  }
}, 60_000);

test('a revision that is compacted before it can be followed: the values are not read again', async () => {
  const prefix = '/outrun';
  await fill({ prefix, count: 500, bytes: 10_000 });
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  const named = proxy.count('toClient', `${prefix}/~past`);
  const storage = await open(proxy.endpoint, prefix);
  try {
    await storage.ready();
    // The name of the past is the last change: the load has it, and the stream begins with it.
    await waitFor('the event of the loaded revision', () => named.chunks >= 2);
    proxy.refuse();
    const removed = Buffer.from(`${prefix}/${pods}/${nameOf(7)}`);
    await etcd.txn({ compare: [], success: [{ request_delete_range: { key: removed } }], failure: [] });
    const changed = Buffer.from(`${prefix}/${pods}/${nameOf(8)}`);
    const { header } = await etcd.put({ key: changed, value: Buffer.from('"new"') });
    await etcd.compact(Number(header.revision));
    const before = proxy.bytes.toClient;
    proxy.accept();
    const expected = await stored(prefix);
    await waitFor('the state of now', () => JSON.stringify(seen(storage)) === JSON.stringify(expected));
    expect(storage.stats().loads).toBe(2);
    expect(proxy.bytes.toClient - before).toBeLessThan(1_000_000);
  } finally {
    await storage.close();
  }
}, 60_000);

test('large objects behind thousands of small ones come in pages that fit', async () => {
  const prefix = '/uneven';
  await fill({ prefix, count: 3_000, bytes: 10, collection: 'core/configmaps' });
  await fill({ prefix, count: 60, bytes: 1_000_000 });
  let refused = 0;
  const metrics = {
    observeEtcdRequest: (operation: string, _: number, ok: boolean): void => {
      if (operation === 'range' && !ok) refused += 1;
    },
  };
  const { endpoints } = cluster;
  const storage = await startStorage(endpoints, { prefix, metrics });
  expect(storage.stats()).toMatchObject({ objects: 3_060, loads: 1 });
  expect(refused).toBeGreaterThan(0);
  await storage.close();
}, 60_000);
