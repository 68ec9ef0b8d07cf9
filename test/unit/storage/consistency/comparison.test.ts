/**
 * The comparison with etcd, of which each request of a page is looked at: etcd counts every key of the range that is
 * requested, so the range has few keys, however many there are; and a difference is found wherever it is.
 */
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import { Comparison } from '../../../../src/storage/consistency/comparison.ts';
import { keysPerCut } from '../../../../src/storage/view/key-cuts.ts';
import type { EtcdClient } from '../../../../src/storage/etcd/client.ts';
import type { KeyValue, RangeRequest, RangeResponse } from '../../../../src/storage/etcd/message-types.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import type { CollectionId } from '../../../../src/storage/types.ts';
import { CollectionView } from '../../../../src/storage/view/collection.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import type { PinnedView } from '../../../../src/storage/view/view.ts';

const keys = new KeySpace('/registry');
const revision = 1_000_000;
const limits = { maxPastStates: 1, maxPastStateBytes: 1, maxAgeMs: 1 };
const maps = 'core/configmaps';

/** Object keys with their revisions, by collection. */
type Objects = ReadonlyMap<CollectionId, ReadonlyMap<string, number>>;

/** So many objects, all at revision 1. */
function objects(count: number, nameOf: (i: number) => string): Map<string, number> {
  return new Map(Array.from({ length: count }, (_, i) => [nameOf(i), 1]));
}

/** Answers pages as etcd does, and notes how many keys each requested range has. */
class CountingEtcd implements Pick<EtcdClient, 'page' | 'epoch'> {
  readonly epoch = 0;
  readonly counts: number[] = [];
  readonly #kvs: KeyValue[];

  constructor(stored: Objects) {
    this.#kvs = [...stored]
      .flatMap(([id, revisions]) => Array.from(revisions, ([key, at]) => kvOf(keys.object(id, key), at)))
      .sort((a, b) => a.key.compare(b.key));
  }

  page({ key, range_end: end, limit = Infinity }: RangeRequest): Promise<RangeResponse> {
    const [from, to] = [this.#placeOf(key), this.#placeOf(end ?? key)];
    const count = Math.max(0, to - from);
    this.counts.push(count);
    const kvs = this.#kvs.slice(from, from + Math.min(limit, count));
    return Promise.resolve({ header: { cluster_id: 1, revision }, kvs, more: count > kvs.length, count });
  }

  #placeOf(key: Buffer): number {
    let [low, high] = [0, this.#kvs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kvs[middle]?.key.compare(key) ?? 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function kvOf(key: Buffer, at: number): KeyValue {
  return { key, mod_revision: at, create_revision: 1, version: 1, value: Buffer.alloc(0) };
}

/** @param isUnreadable picks the objects that are known but cannot be read */
function pinned(known: Objects, isUnreadable = (_key: string): boolean => false): PinnedView {
  const collections = [...known].map(([id, revisions]) => {
    const view = new CollectionView(id, 0, limits);
    for (const [key, modRevision] of revisions) {
      const address = { collection: id, key };
      if (isUnreadable(key)) view.loadUnreadable(new UnreadableEntry(address, modRevision, 'damaged'));
      else view.load(new StoredEntry({ ...address, modRevision, bytes: Buffer.alloc(0), mark: 0 }));
    }
    return [id, view.pinned()] as const;
  });
  return { revision, loadedAt: 1, collections: new Map(collections) };
}

/** Nobody waits: pauses end at once. */
const clock: Clock = {
  ...systemClock,
  monotonic: () => 0,
  setTimeout: (callback) => systemClock.setTimeout(callback, 0),
};

function compare(etcd: CountingEtcd, view: PinnedView): Comparison {
  const { signal } = new AbortController();
  return new Comparison({ client: etcd, keys, clock }, view, { epoch: 0, signal });
}

const layouts: Record<string, (i: number) => string> = {
  'one namespace': (i) => `default/web-${String(i)}`,
  'thousands of namespaces': (i) => `team-${String(i % 3_001)}-prod/${String((i * 7_919) % 1_000_003)}`,
};

test.each(Object.entries(layouts))('no request has a range of many keys: %s', async (_, nameOf) => {
  const stored = new Map([
    [maps, objects(12_000, nameOf)],
    ['core/configmaps-more', objects(10, nameOf)],
    ['core/pods', objects(5_000, nameOf)],
  ]);
  const etcd = new CountingEtcd(stored);
  const comparison = compare(etcd, pinned(stored));
  expect(await comparison.unequal()).toEqual([]);
  expect(await comparison.differenceOf(maps)).toBeUndefined();
  expect(Math.max(...etcd.counts)).toBeLessThanOrEqual(2 * keysPerCut);
  // As few requests as that allows, about.
  expect(etcd.counts.length).toBeLessThan(2 * (29_000 / keysPerCut) + 20);
});

test('names that etcd has in another order are not taken for missing or surplus', async () => {
  const nameOf = (i: number): string => `default/${i % 2 === 0 ? '\uffee' : '\u{1f600}'}${String(i)}`;
  const [known, stored] = [objects(9_000, nameOf), objects(9_000, nameOf)];
  known.set('default/\u{1f600}surplus', 1);
  stored.set('default/\uffeemissing', 1);
  const comparison = compare(new CountingEtcd(new Map([[maps, stored]])), pinned(new Map([[maps, known]])));
  expect(await comparison.unequal()).toEqual([maps]);
  expect(await comparison.differenceOf(maps)).toMatchObject({
    missing: { count: 1, first: ['default/\uffeemissing'] },
    surplus: { count: 1, first: ['default/\u{1f600}surplus'] },
    otherRevision: { count: 0 },
  });
});

test('objects that cannot be read count, too', async () => {
  const stored = new Map([[maps, objects(12_000, (i) => `default/web-${String(i)}`)]]);
  const etcd = new CountingEtcd(stored);
  const comparison = compare(
    etcd,
    pinned(stored, (key) => key.endsWith('1') || key < 'default/web-5'),
  );
  expect(await comparison.unequal()).toEqual([]);
  expect(Math.max(...etcd.counts)).toBeLessThanOrEqual(2 * keysPerCut);
});

const many = objects(9_000, (i) => `ns/web-${String(10_000 + i)}`);
const differing: Record<string, { key: string; collection?: CollectionId }> = {
  'before the first key': { key: 'a/first' },
  'between two keys': { key: 'ns/web-12345x' },
  'behind the last key': { key: 'z/last' },
  'in a collection that the view does not know': { key: 'ns/only', collection: 'zone/others' },
};

test.each(Object.entries(differing))(
  'a key that only etcd has: %s',
  async (_, { key, collection = maps }) => {
    const stored = new Map<CollectionId, Map<string, number>>([[maps, new Map(many)]]);
    stored.set(collection, new Map([...(stored.get(collection) ?? []), [key, 7]]));
    const comparison = compare(new CountingEtcd(stored), pinned(new Map([[maps, many]])));
    expect(await comparison.unequal()).toEqual([collection]);
    expect(await comparison.differenceOf(collection)).toMatchObject({
      missing: { count: 1, first: [key] },
      surplus: { count: 0 },
      otherRevision: { count: 0 },
    });
  },
);

test.each(Object.entries(differing))(
  'a key that only the view has: %s',
  async (_, { key, collection = maps }) => {
    const known = new Map<CollectionId, Map<string, number>>([[maps, new Map(many)]]);
    known.set(collection, new Map([...(known.get(collection) ?? []), [key, 7]]));
    const comparison = compare(new CountingEtcd(new Map([[maps, many]])), pinned(known));
    expect(await comparison.unequal()).toEqual([collection]);
    expect(await comparison.differenceOf(collection)).toMatchObject({
      missing: { count: 0 },
      surplus: { count: 1, first: [key] },
      otherRevision: { count: 0 },
    });
  },
);

test('thousands of keys that only etcd has are read in pages', async () => {
  const lost = objects(25_000, (i) => `ns/web-10500-${String(100_000 + i)}`);
  const etcd = new CountingEtcd(new Map([[maps, new Map([...many, ...lost])]]));
  const comparison = compare(etcd, pinned(new Map([[maps, many]])));
  expect(await comparison.unequal()).toEqual([maps]);
  expect(await comparison.differenceOf(maps)).toMatchObject({
    missing: { count: 25_000, first: [...lost.keys()].slice(0, 20) },
    surplus: { count: 0 },
    otherRevision: { count: 0 },
  });
});
