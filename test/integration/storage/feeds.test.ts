/** A storage that feeds those of other threads: what etcd sees of them, and what they are told. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import type { ConnectLine } from '../../../src/storage/etcd/etcd-line.ts';
import { GrpcError } from '../../../src/storage/etcd/grpc-status.ts';
import type { RangeRequest } from '../../../src/storage/etcd/message-types.ts';
import { createEtcdStorage, type ClusterStorage } from '../../../src/storage/storage.ts';
import type { StorageError } from '../../../src/storage/types.ts';
import {
  calmTimes,
  forever,
  json,
  mostRecent,
  noMetrics,
  pods,
  recordingLogger,
} from '../../support/storage.ts';
import { waitFor, within } from '../../support/wait-for.ts';

/** Codes of gRPC. */
const [permissionDenied, unavailable] = [7, 14];

let etcd: MemoryEtcd;
let source: ClusterStorage;
let storages: ClusterStorage[];
let logged: string[];
/** Probes of the quorum that etcd got. */
let probes: number;
/** What etcd answers a probe; absent: as usual. */
let refusal: Error | undefined;

/** Lines to etcd that count. */
const connectLine: ConnectLine = async (url, timeoutMs) => {
  const line = await etcd.connectLine(url, timeoutMs);
  const call: typeof line.call = (method, request, ...rest) => {
    const { key, count_only: countsOnly } = request as Partial<RangeRequest>;
    const isProbe = countsOnly === true && key?.toString().endsWith('/~fence') === true;
    if (isProbe) probes += 1;
    return isProbe && refusal ? Promise.reject(refusal) : line.call(method, request, ...rest);
  };
  return {
    call,
    get isUp() {
      return line.isUp;
    },
    useToken: (token) => line.useToken(token),
    stream: (...words) => line.stream(...words),
    close: (graceMs) => line.close(graceMs),
  };
};

/** @param feed of a storage that this one feeds; absent: it follows etcd */
async function start(feed?: MessagePort, tick = calmTimes.tick): Promise<ClusterStorage> {
  const storage = await createEtcdStorage({
    ...{ endpoints: ['http://memory:2379'], connectLine, compactionIntervalMs: 0, metrics: noMetrics },
    ...{ logger: recordingLogger(logged), times: { ...calmTimes, operation: 2_000, tick } },
    ...(feed && { feed }),
  });
  storages.push(storage);
  return storage;
}

async function startFed(): Promise<ClusterStorage> {
  const { port1, port2 } = new MessageChannel();
  source.feed(port1);
  const fed = await start(port2);
  await fed.ready();
  return fed;
}

beforeEach(async () => {
  etcd = new MemoryEtcd(systemEnvironment);
  [storages, logged, probes, refusal] = [[], [], 0, undefined];
  source = await start(undefined, 5);
  await source.ready();
});
afterEach(async () => {
  for (const storage of storages.toReversed()) await storage.close();
  etcd.close();
});

test('etcd sees the probes of one storage, however many read', async () => {
  const fed = [await startFed(), await startFed(), await startFed()];
  await source.create(pods, 'ns/a', json(1));
  const before = { seen: probes, asked: source.stats().probes };
  for (let round = 0; round < 50; round += 1)
    await Promise.all(fed.map((storage) => storage.get(pods, 'ns/a', mostRecent, forever)));
  const seen = probes - before.seen;
  expect(seen).toBe(source.stats().probes - before.asked);
  // One for each storage and round would be 150.
  expect(seen).toBeLessThan(125);
  for (const storage of fed) expect(storage.stats().probes).toBe(50);
});

test('each reads what was written through others before', async () => {
  const [one, other] = [await startFed(), await startFed()];
  let { revision } = await one.create(pods, 'ns/a', json(0));
  for (let value = 1; value <= 100; value += 1) {
    const [writer, reader] = value % 2 === 0 ? [one, other] : [other, one];
    ({ revision } = await writer.update(pods, 'ns/a', json(value), revision));
    expect((await reader.get(pods, 'ns/a', mostRecent, forever))?.bytes.toString()).toBe(String(value));
  }
});

test('what etcd answers the one that asks is what all are told', async () => {
  const fed = await startFed();
  refusal = new GrpcError(permissionDenied, 'etcdserver: permission denied');
  const [own, told] = await Promise.all(
    [source, fed].map((storage) =>
      storage.get(pods, 'ns/a', mostRecent, forever).catch((error: unknown) => error as StorageError),
    ),
  );
  expect(own).toMatchObject({ name: 'StorageError', code: 'unavailable' });
  expect(told).toMatchObject({ name: 'StorageError', code: 'unavailable' });
  expect((told as StorageError).message).toBe((own as StorageError).message);
  refusal = undefined;
  expect(await fed.get(pods, 'ns/a', mostRecent, forever)).toBeUndefined();
});

test('a storage that closes ends the reads that wait for an answer', async () => {
  const fed = await startFed();
  refusal = new GrpcError(unavailable, 'no leader');
  const before = probes;
  const read = fed.get(pods, 'ns/a', mostRecent, forever);
  await waitFor('a probe', () => probes > before);
  await fed.close();
  const late = fed.get(pods, 'ns/a', mostRecent, forever);
  for (const each of [read, late])
    await expect(within('the end of a read', 1_000, each)).rejects.toMatchObject({ message: 'stopped' });
});
