/** Writes whose answer is lost: nobody is told "conflict" about his own write, and nothing is written twice. */
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision, StorageError } from '../../../src/storage/types.ts';
import { KeySpace } from '../../../src/storage/keys.ts';
import { transactionOf } from '../../../src/storage/write/guarded-write.ts';
import {
  directClient,
  forever,
  json,
  mostRecent,
  pods,
  quickTimes,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

let cluster: EtcdCluster;
let proxy: TcpProxy;
/** Behind the proxy. */
let storage: EtcdStorage;
/** Straight to etcd. */
let other: EtcdStorage;
let prefixNumber = 0;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
});

afterAll(async () => {
  await cluster.close();
});

beforeEach(async () => {
  prefixNumber += 1;
  const prefix = `/a${String(prefixNumber)}`;
  proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  storage = await startStorage([proxy.endpoint], { prefix, times: quickTimes });
  other = await startStorage(cluster.endpoints, { prefix });
  // Both connections of the storage are up and quiet before a test loses bytes on them.
  const { revision } = await storage.create(pods, 'first', json(0));
  await waitFor('the view', () => storage.revision() >= revision && other.revision() >= revision);
});

afterEach(async () => {
  await Promise.all([storage.close(), other.close()]);
  await proxy.close();
});

/** How often a key was written, as another storage saw it since `start`. */
async function historyOf(key: string, start: Revision): Promise<string[]> {
  const recorder = watchAfter(other, start);
  await other.snapshot(pods, mostRecent, forever);
  await untilReached(recorder, other.revision());
  return recorder.events.filter((event) => event.key === key).map(({ type }) => type);
}

describe.each(['toClient', 'toServer'] as const)('bytes lost %s', (direction) => {
  test('a creation takes effect once and is reported done', async () => {
    const start = other.revision();
    const lost = proxy.loseNext(direction);
    const { revision } = await storage.create(pods, 'a', json(1));
    await lost;
    expect((await other.get(pods, 'a', mostRecent, forever))?.modRevision).toBe(revision);
    expect(await historyOf('a', start)).toEqual(['put']);
    expect(storage.stats().ambiguousWrites).toBe(1);
  });

  test('an update takes effect once and is reported done', async () => {
    const created = await storage.create(pods, 'a', json(1));
    await waitFor('the view', () => storage.revision() >= created.revision);
    const lost = proxy.loseNext(direction);
    const { revision } = await storage.update(pods, 'a', json(2), created.revision);
    await lost;
    expect((await other.get(pods, 'a', mostRecent, forever))?.modRevision).toBe(revision);
    expect(await historyOf('a', created.revision)).toEqual(['put']);
  });

  test('a removal is reported done', async () => {
    const created = await storage.create(pods, 'a', json(1));
    await waitFor('the view', () => storage.revision() >= created.revision);
    const lost = proxy.loseNext(direction);
    const { revision } = await storage.delete(pods, 'a', created.revision);
    await lost;
    expect(revision).toBeGreaterThan(created.revision);
    expect(await historyOf('a', created.revision)).toEqual(['delete']);
  });
});

const ranges = 'ranges/numbers';

/** Few are in the transaction itself, many in nested ones. */
describe.each([3, 300])('%d claimed keys', (count) => {
  const numbers = Array.from({ length: count }, (_, i) => ({ collection: ranges, key: String(i) }));
  const claims = (holder: string, taken: boolean): Parameters<EtcdStorage['claiming']>[0] => ({
    holder: JSON.stringify({ name: holder }),
    take: taken ? numbers : [],
    release: taken ? [] : numbers,
  });

  /** Who holds the keys, each holder once. */
  async function holders(): Promise<string[]> {
    const held = await other.snapshot(ranges, mostRecent, forever);
    const texts = numbers.map(({ key }) => held.get(key)?.bytes.toString() ?? 'nobody');
    return [...new Set(texts)];
  }

  test.each(['toClient', 'toServer'] as const)(
    'bytes lost %s: they are taken once, and released',
    async (direction) => {
      let lost = proxy.loseNext(direction);
      const created = await storage.claiming(claims('a', true)).create(pods, 'a', json(1));
      await lost;
      expect(await holders()).toEqual(['{"name":"a"}']);
      expect(await historyOf('a', created.revision - 1)).toEqual(['put']);
      await waitFor('the view', () => storage.revision() >= created.revision);
      lost = proxy.loseNext(direction);
      await storage.claiming(claims('a', false)).delete(pods, 'a', created.revision);
      await lost;
      expect(await holders()).toEqual(['nobody']);
      expect(storage.stats().ambiguousWrites).toBeGreaterThan(0);
    },
  );

  test('a creation that lost its keys meanwhile to another object leaves nothing', async () => {
    proxy.hold('toServer');
    const creation = storage
      .claiming(claims('a', true))
      .create(pods, 'a', json(1))
      .catch((error: unknown) => error);
    await other.claiming(claims('b', true)).create(pods, 'b', json(1));
    proxy.cut();
    expect(await creation).toMatchObject({ code: 'claimTaken', taken: numbers });
    expect(await holders()).toEqual(['{"name":"b"}']);
    expect(await other.get(pods, 'a', mostRecent, forever)).toBeUndefined();
  });

  test('a creation whose object was removed before its outcome was known keeps no keys', async () => {
    proxy.hold('toClient');
    const creation = storage.claiming(claims('a', true)).create(pods, 'a', json(1));
    const seen = await waitFor('the creation at the other', () => other.peek(pods, 'a'));
    await other.claiming(claims('a', false)).delete(pods, 'a', seen.modRevision);
    await other.claiming(claims('b', true)).create(pods, 'b', json(1));
    proxy.cut();
    expect((await creation).revision).toBe(seen.modRevision);
    expect(await holders()).toEqual(['{"name":"b"}']);
  });
});

test('an update that was overwritten before its outcome was known is reported done', async () => {
  const created = await storage.create(pods, 'a', json(1));
  proxy.hold('toClient');
  const update = storage.update(pods, 'a', json(2), created.revision);
  const seen = await waitFor('the update at the other', () => {
    const entry = other.peek(pods, 'a');
    return entry !== undefined && entry.modRevision > created.revision ? entry : undefined;
  });
  await other.update(pods, 'a', json(3), seen.modRevision);
  proxy.cut();
  expect((await update).revision).toBe(seen.modRevision);
  expect((await other.get(pods, 'a', mostRecent, forever))?.bytes.toString()).toBe('3');
});

test('a creation that was removed before its outcome was known is reported done and not repeated', async () => {
  proxy.hold('toClient');
  const start = other.revision();
  const creation = storage.create(pods, 'a', json(1));
  const seen = await waitFor('the creation at the other', () => other.peek(pods, 'a'));
  await other.delete(pods, 'a', seen.modRevision);
  proxy.cut();
  expect((await creation).revision).toBe(seen.modRevision);
  expect(await historyOf('a', start)).toEqual(['put', 'delete']);
});

test('equal bytes of another writer are not mistaken for its own', async () => {
  const created = await storage.create(pods, 'counter', json(1));
  await waitFor('the views', () => other.revision() >= created.revision);
  proxy.hold('toServer');
  const update = storage.update(pods, 'counter', json(2), created.revision).catch((error: unknown) => error);
  const winner = await other.update(pods, 'counter', json(2), created.revision);
  proxy.cut();
  const storageError = (await update) as StorageError;
  expect(storageError).toMatchObject({ code: 'conflict', revision: winner.revision });
  expect(storageError.current?.bytes.toString()).toBe('2');
});

test('of two concurrent deletions of an object only one succeeds', async () => {
  const created = await storage.create(pods, 'a', json(1));
  await waitFor('the views', () => other.revision() >= created.revision);
  proxy.hold('toServer');
  const removal = storage.delete(pods, 'a', created.revision).catch((error: unknown) => error);
  await other.delete(pods, 'a', created.revision);
  proxy.cut();
  expect(await removal).toMatchObject({ code: 'notFound' });
});

test('a deletion followed by another one in the collection is reported as done', async () => {
  const first = await storage.create(pods, 'a', json(1));
  const second = await other.create(pods, 'b', json(1));
  await waitFor(
    'the views',
    () => other.revision() >= second.revision && storage.revision() >= second.revision,
  );
  proxy.hold('toClient');
  const removal = storage.delete(pods, 'a', first.revision);
  await waitFor('the removal at the other', () => other.peek(pods, 'a') === undefined);
  await other.delete(pods, 'b', second.revision);
  proxy.cut();
  expect((await removal).revision).toBeGreaterThan(second.revision);
});

test('a creation whose first sending etcd receives late does not bring back what was removed', async () => {
  const start = other.revision();
  for (let round = 0; round < 8; round += 1) {
    const key = `late-${String(round)}`;
    const open = proxy.connections;
    proxy.hold('toServer');
    const { revision } = await storage.create(pods, key, json(1));
    await other.get(pods, key, mostRecent, forever);
    await other.delete(pods, key, revision);
    proxy.release('toServer');
    // The line of the first sending was given up; it closes after all its bytes are through.
    await waitFor('the held line to end', () => proxy.connections <= open);
    await storage.create(pods, `after-${key}`, json(1));
    expect(await historyOf(key, start)).toEqual(['put', 'delete']);
  }
});

test('a creation is void from the moment that the creation fence is newer than it', async () => {
  const keys = new KeySpace(`/a${String(prefixNumber)}`);
  const client = directClient(cluster.endpoints);
  const past = { epoch: 0, name: undefined };
  const write = { kind: 'create', collection: pods, key: 'a', expected: 0, mark: 1, since: 0, past } as const;
  const early = transactionOf(keys, { ...write, value: json(1) }, { sentAt: other.revision() });
  const { header } = await client.put({ key: keys.creationFence(), value: Buffer.from('0') });
  expect(await client.txn(early)).toMatchObject({ succeeded: false });
  const behind = { revision: Number(header.revision) };
  expect((await other.create(pods, 'b', json(1))).revision).toBeGreaterThan(behind.revision);
  const late = transactionOf(keys, { ...write, value: json(1) }, { sentAt: behind.revision });
  expect(await client.txn(late)).toMatchObject({ succeeded: true });
  client.close();
});

test('if etcd does not respond in time, the outcome is unknown', async () => {
  const created = await storage.create(pods, 'a', json(1));
  const lost = proxy.loseNext('toClient').then(() => proxy.refuse());
  const started = performance.now();
  const storageError = (await storage
    .update(pods, 'a', json(2), created.revision)
    .catch((error: unknown) => error)) as Error;
  await lost;
  expect(storageError).toMatchObject({ code: 'timeout' });
  expect(performance.now() - started).toBeLessThan(3 * quickTimes.operation);
  proxy.accept();
});

test('writers that count over a line that keeps breaking lose and double nothing', async () => {
  const created = await other.create(pods, 'counter', json(0));
  let done = 0;
  const ending = new AbortController();
  const cutting = cutAgainAndAgain(ending.signal);
  const count = async (target: EtcdStorage): Promise<void> => {
    while (done < 60) {
      const entry = await target.get(pods, 'counter', mostRecent, forever).catch(() => undefined);
      if (entry === undefined) continue;
      const next = json(Number(entry.bytes.toString()) + 1);
      await target.update(pods, 'counter', next, entry.modRevision).then(
        () => (done += 1),
        (error: unknown) => expect((error as StorageError).code).toBe('conflict'),
      );
    }
  };
  await Promise.all([count(storage), count(storage), count(other)]);
  ending.abort();
  await cutting;
  expect(created.revision).toBeGreaterThan(0);
  expect((await other.get(pods, 'counter', mostRecent, forever))?.bytes.toString()).toBe(String(done));
});

async function cutAgainAndAgain(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await waitFor('a connection', () => signal.aborted || proxy.connections > 1);
    await Promise.race([proxy.loseNext('toClient'), new Promise((resolve) => setTimeout(resolve, 20))]);
  }
}
