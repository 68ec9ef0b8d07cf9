/** What every room above relies on: each method of `Storage` on a real etcd. */
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { memoryLines } from '../../support/etcd/memory-cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createEtcdStorage, type EtcdStorage } from '../../../src/storage/storage.ts';
import type { StorageError } from '../../../src/storage/types.ts';
import {
  forever,
  json,
  mostRecent,
  noMetrics,
  pods,
  quickTimes,
  recordingLogger,
  startStorage,
} from '../../support/storage.ts';

const used = useEtcd();
let storage: EtcdStorage;

let prefixNumber = 0;
let prefix = '';

beforeEach(async () => {
  prefixNumber += 1;
  prefix = `/t${String(prefixNumber)}`;
  storage = await startStorage(used.cluster.endpoints, { prefix });
});

afterEach(async () => {
  await storage.close();
});

async function errorOf(promise: Promise<unknown>): Promise<StorageError> {
  return promise.then(
    () => {
      throw new Error('it was expected to fail');
    },
    (error: unknown) => error as StorageError,
  );
}

const read = (key: string) => storage.get(pods, key, mostRecent, forever);

describe('writes', () => {
  test('what is created is read back, by its bytes and revision', async () => {
    const { revision } = await storage.create(pods, 'ns/a', json({ n: 1 }));
    const entry = await read('ns/a');
    expect(entry).toMatchObject({ collection: pods, key: 'ns/a', modRevision: revision, memo: undefined });
    expect(entry?.bytes.toString()).toBe('{"n":1}');
  });

  test('values in etcd are valid JSON', async () => {
    await storage.create(pods, 'ns/a', json({ n: 1 }));
    const { kvs } = await used.client.range({ key: Buffer.from(`${prefix}/core/pods/ns/a`) });
    expect(JSON.parse(kvs[0]?.value.toString() ?? '')).toEqual({ n: 1 });
  });

  test('a second creation is refused and changes nothing', async () => {
    const { revision } = await storage.create(pods, 'a', json(1));
    const error = await errorOf(storage.create(pods, 'a', json(2)));
    expect(error).toMatchObject({ code: 'exists', key: 'a' });
    expect(error.current?.modRevision).toBe(revision);
    expect((await read('a'))?.bytes.toString()).toBe('1');
  });

  test('an update at the expected revision replaces, at another conflicts and shows the current object', async () => {
    const first = await storage.create(pods, 'a', json(1));
    const second = await storage.update(pods, 'a', json(2), first.revision);
    expect(second.revision).toBeGreaterThan(first.revision);
    const error = await errorOf(storage.update(pods, 'a', json(3), first.revision));
    expect(error).toMatchObject({ code: 'conflict', revision: second.revision });
    expect(error.current?.bytes.toString()).toBe('2');
    expect((await read('a'))?.bytes.toString()).toBe('2');
  });

  test.each([0, -1, Number.NaN, Infinity, 1])(
    'an update of a missing object expecting %p is not found',
    async (expected) => {
      expect((await errorOf(storage.update(pods, 'a', json(1), expected))).code).toBe('notFound');
      expect((await errorOf(storage.delete(pods, 'a', expected))).code).toBe('notFound');
      expect(await read('a')).toBeUndefined();
    },
  );

  test('a removal at the expected revision removes, at another conflicts', async () => {
    const { revision } = await storage.create(pods, 'a', json(1));
    expect((await errorOf(storage.delete(pods, 'a', revision + 1))).code).toBe('conflict');
    await storage.delete(pods, 'a', revision);
    expect(await read('a')).toBeUndefined();
    expect((await errorOf(storage.delete(pods, 'a', revision))).code).toBe('notFound');
  });

  test('an object that etcd does not take is too large', async () => {
    const large = json('x'.repeat(1_700_000));
    const huge = json('x'.repeat(5_000_000));
    expect((await errorOf(storage.create(pods, 'a', large))).code).toBe('tooLarge');
    expect((await errorOf(storage.create(pods, 'a', huge))).code).toBe('tooLarge');
  });

  test.each(['__proto__', 'constructor', 'ns/__proto__', 'ns/é😀', 'system:x', 'a/b/c'])(
    'the key %p is data',
    async (key) => {
      await storage.create(pods, key, json(key));
      expect((await read(key))?.bytes.toString()).toBe(JSON.stringify(key));
      expect(storage.peek(pods, key)?.key).toBe(key);
    },
  );
});

describe('fresh reads', () => {
  test('what one storage wrote is in the next fresh read of another', async () => {
    const other = await startStorage(used.cluster.endpoints, { prefix });
    try {
      for (let i = 0; i < 100; i += 1) {
        await storage.create(pods, `p${String(i)}`, json(i));
        const snapshot = await other.snapshot(pods, mostRecent, forever);
        expect(snapshot.get(`p${String(i)}`)).toBeDefined();
        expect(snapshot.size).toBe(i + 1);
      }
    } finally {
      await other.close();
    }
  });

  test('requests at the same time share quorum probes', async () => {
    await storage.create(pods, 'a', json(1));
    const before = storage.stats().probes;
    const gets = 3_200;
    const one = async (): Promise<void> => {
      for (let i = 0; i < gets / 32; i += 1) await read('a');
    };
    await Promise.all(Array.from({ length: 32 }, one));
    expect((storage.stats().probes - before) / gets).toBeLessThan(0.2);
  });

  test('another writer in the same etcd does not stop fresh reads', async () => {
    await storage.create(pods, 'a', json(1));
    for (let i = 0; i < 5; i += 1) {
      await used.client.put({ key: Buffer.from('/elsewhere'), value: Buffer.from('x') });
      expect(await read('a')).toBeDefined();
    }
    expect(storage.stats()).toMatchObject({ state: 'following', connects: 1, loads: 1 });
    expect(storage.stats().fences).toBeGreaterThan(0);
  });

  test('keys below the prefix that are no objects are left alone', async () => {
    const { header } = await used.client.put({ key: Buffer.from(`${prefix}/odd`), value: Buffer.from('x') });
    await used.client.put({ key: Buffer.from(`${prefix}/core/pods/`), value: Buffer.from('x') });
    expect((await storage.snapshot(pods, mostRecent, forever)).size).toBe(0);
    expect(storage.revision()).toBeGreaterThanOrEqual(Number(header.revision));
    const other = await startStorage(used.cluster.endpoints, { prefix });
    expect(other.stats().objects).toBe(0);
    await other.close();
  });

  test('an ended request is refused', async () => {
    const error = await errorOf(storage.snapshot(pods, mostRecent, AbortSignal.abort()));
    expect(error.code).toBe('timeout');
  });
});

describe('snapshots', () => {
  test('list in key order below a prefix and after a key', async () => {
    for (const key of ['b/2', 'a/1', 'b/1', 'b/3', 'ba/1', 'c/1']) await storage.create(pods, key, json(key));
    const snapshot = await storage.snapshot(pods, mostRecent, forever);
    const keys = (below: string, after: string) =>
      Array.from(snapshot.entries(below, after), ({ key }) => key);
    expect(keys('', '')).toEqual(['a/1', 'b/1', 'b/2', 'b/3', 'ba/1', 'c/1']);
    expect(keys('b/', '')).toEqual(['b/1', 'b/2', 'b/3']);
    expect(keys('b/', 'b/1')).toEqual(['b/2', 'b/3']);
    expect(keys('b/', 'b/11')).toEqual(['b/2', 'b/3']);
    expect(keys('', 'b/3')).toEqual(['ba/1', 'c/1']);
    expect(keys('x/', '')).toEqual([]);
    expect([snapshot.count('', ''), snapshot.count('b/', ''), snapshot.count('b/', 'b/1')]).toEqual([
      6, 3, 2,
    ]);
    expect([snapshot.count('x/', ''), snapshot.count('', 'b/3'), snapshot.count('b/', 'b/3')]).toEqual([
      0, 2, 0,
    ]);
  });

  test('stay as they were while the collection changes', async () => {
    const { revision } = await storage.create(pods, 'a', json(1));
    const before = await storage.snapshot(pods, mostRecent, forever);
    await storage.update(pods, 'a', json(2), revision);
    await storage.create(pods, 'b', json(1));
    const after = await storage.snapshot(pods, mostRecent, forever);
    expect([before.size, before.get('a')?.bytes.toString()]).toEqual([1, '1']);
    expect([after.size, after.get('a')?.bytes.toString()]).toEqual([2, '2']);
    expect(storage.view(pods).revision).toBe(after.revision);
  });
});

describe('reads of given revisions', () => {
  /** Ten creations; gives the revision after each. */
  async function tenPods(): Promise<number[]> {
    const revisions = [];
    for (let i = 0; i < 10; i += 1)
      revisions.push((await storage.create(pods, `p${String(i)}`, json(i))).revision);
    return revisions;
  }

  test('exact: every revision of the history, the future after a wait', async () => {
    const revisions = await tenPods();
    for (const [i, revision] of revisions.entries()) {
      const snapshot = await storage.snapshot(pods, { kind: 'exact', revision }, forever);
      expect([snapshot.revision, snapshot.size]).toEqual([revision, i + 1]);
      const entry = await storage.get(pods, `p${String(i + 1)}`, { kind: 'exact', revision }, forever);
      expect(entry).toBeUndefined();
    }
    const revision = storage.revision() + 1_000;
    const error = await errorOf(storage.snapshot(pods, { kind: 'exact', revision }, forever));
    expect(error).toMatchObject({ code: 'futureRevision', revision: storage.revision() });
  });

  test('exact: a state that a list has shown needs no read from etcd', async () => {
    await tenPods();
    const listed = await storage.snapshot(pods, mostRecent, forever);
    await storage.create(pods, 'later', json(1));
    const again = await storage.snapshot(pods, { kind: 'exact', revision: listed.revision }, forever);
    expect([again.size, storage.stats().historyReads]).toEqual([10, 0]);
  });

  test('exact: a state from before the load is read once for all who ask and then kept', async () => {
    const revisions = await tenPods();
    const revision = revisions[4] ?? 0;
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const ask = () => other.snapshot(pods, { kind: 'exact', revision }, forever);
    const sizes = (await Promise.all([ask(), ask(), ask()])).map(({ size }) => size);
    sizes.push((await ask()).size);
    expect([sizes, other.stats().historyReads]).toEqual([[5, 5, 5, 5], 1]);
    await other.close();
  });

  test('exact: of one namespace its keys are read, and kept for it alone', async () => {
    for (const key of ['a/1', 'b/1', 'b/2', 'c/1']) await storage.create(pods, key, json(1));
    const { revision } = await storage.create(pods, 'b/3', json(1));
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const keysOf = async (within: string) => {
      const snapshot = await other.snapshot(pods, { kind: 'exact', revision, within }, forever);
      return Array.from(snapshot.entries('', ''), ({ key }) => key);
    };
    // Later than the revision that is asked for, which then has to be read from etcd.
    await storage.create(pods, 'b/4', json(1));
    await other.snapshot(pods, mostRecent, forever);

    const inB = ['b/1', 'b/2', 'b/3'];
    const read = [await keysOf('b/'), await keysOf('b/')];
    expect([read, other.stats().historyReads]).toEqual([[inB, inB], 1]);
    expect([await keysOf('a/'), other.stats().historyReads]).toEqual([['a/1'], 2]);
    const all = ['a/1', ...inB, 'c/1'];
    expect([await keysOf(''), await keysOf('c/'), other.stats().historyReads]).toEqual([all, all, 3]);
    await other.close();
  });

  test('exact: a compacted revision is said to be so', async () => {
    const revisions = await tenPods();
    await used.client.compact(revisions[5] ?? 0);
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const exact = (i: number) =>
      other.snapshot(pods, { kind: 'exact', revision: revisions[i] ?? 0 }, forever);
    expect((await errorOf(exact(4))).code).toBe('compacted');
    const none = { kind: 'exact', revision: 0 } as const;
    expect((await errorOf(other.snapshot(pods, none, forever))).code).toBe('compacted');
    expect((await errorOf(other.get(pods, 'p1', none, forever))).code).toBe('compacted');
    expect((await exact(5)).size).toBe(6);
    await other.close();
  });

  test('not older than 0: waits until the state is loaded, as any other read', async () => {
    await tenPods();
    const other = await createEtcdStorage({
      ...{ endpoints: used.cluster.endpoints, prefix, compactionIntervalMs: 0 },
      ...{ logger: recordingLogger(), metrics: noMetrics, ...memoryLines(used.cluster.endpoints) },
    });
    const state = await other.snapshot(pods, { kind: 'notOlderThan', revision: 0 }, forever);
    expect([state.size, state.revision > 0]).toEqual([10, true]);
    await other.close();
  });

  test('not older than: waits for a revision that comes, gives up on one that does not', async () => {
    await tenPods();
    // The view of a slow machine may lag behind what was written.
    const { revision: last } = await storage.snapshot(pods, mostRecent, forever);
    const next = storage.snapshot(pods, { kind: 'notOlderThan', revision: last + 1 }, forever);
    await storage.create(pods, 'next', json(1));
    expect((await next).get('next')).toBeDefined();
    const revision = storage.revision() + 10;
    const error = await errorOf(storage.snapshot(pods, { kind: 'notOlderThan', revision }, forever));
    expect(error).toMatchObject({ code: 'futureRevision', revision: storage.revision() });
    expect(
      (await errorOf(storage.snapshot(pods, { kind: 'notOlderThan', revision: Infinity }, forever))).code,
    ).toBe('futureRevision');
  });

  test('any: the view as it is', async () => {
    await tenPods();
    await waitFor('the view', () => storage.view(pods).size === 10);
    const probes = storage.stats().probes;
    expect((await storage.snapshot(pods, { kind: 'any' }, forever)).size).toBe(10);
    expect(storage.stats().probes).toBe(probes);
  });
});

test('a load takes many pages at one revision', async () => {
  const value = json('x'.repeat(2_000));
  const left = Array.from({ length: 2_500 }, (_, i) => `ns/p${String(i)}`).values();
  const create = async (): Promise<void> => {
    for (const key of left) await storage.create(pods, key, value);
  };
  await Promise.all(Array.from({ length: 32 }, create));
  const other = await startStorage(used.cluster.endpoints, { prefix });
  expect([other.view(pods).size, other.stats().objects]).toEqual([2_500, 2_500]);
  await other.close();
});

test('a storage whose etcd does not answer says so and can be closed', async () => {
  const { createEtcdStorage } = await import('../../../src/storage/storage.ts');
  const { noMetrics } = await import('../../support/storage.ts');
  const lost = await createEtcdStorage({
    endpoints: ['http://127.0.0.1:9'],
    logger: recordingLogger(),
    metrics: noMetrics,
    times: { ...quickTimes, operation: 300 },
  });
  const ready = errorOf(lost.ready());
  expect((await lost.health()).etcd).toContain('cannot be reached');
  expect((await errorOf(lost.snapshot(pods, mostRecent, forever))).code).toBe('unavailable');
  expect((await errorOf(lost.create(pods, 'a', json(1)))).code).toBe('unavailable');
  await lost.close();
  expect((await ready).message).toBe('stopped');
});

test('a storage that is closed while it follows has nothing to warn of', async () => {
  const warnings: string[] = [];
  const note = (fields: object, message: string): void => {
    // The etcd of this machine may be one with known defects.
    if (!message.startsWith('this release of etcd')) warnings.push(`${message} ${JSON.stringify(fields)}`);
  };
  const logger = { ...recordingLogger(), warn: note, error: note };
  const other = await startStorage(used.cluster.endpoints, { prefix, logger });
  await other.close();
  expect(warnings).toEqual([]);
});
