/** A large collection that keeps no objects of what was loaded is what it would be with them, whatever changes. */
import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { laterTurn } from '../../../../src/base/cooperate.ts';
import { itemHeadOf } from '../../../../src/codec/list-page.ts';
import { Pack } from '../../../../src/codec/pack.ts';
import { CollectionView, type PinnedCollection } from '../../../../src/storage/view/collection.ts';
import { packTexts } from '../../../../src/storage/view/packing.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import type { Entry } from '../../../../src/storage/types.ts';
import { packsMoved } from '../../../support/pack-moves.ts';

const limits = { maxPastStates: 1_000, maxPastStateBytes: 1e9, maxAgeMs: 1e9, leastFolded: 1 };
const head = itemHeadOf({ kind: 'ConfigMap', apiVersion: 'v1' });

function entryOf(key: string, modRevision: number): StoredEntry {
  const data = `"data":{"x":"${String(modRevision).repeat(40)}"}`;
  const text = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${key}"},${data}}`;
  const parts = { collection: 'core/configmaps', key, modRevision, mark: -modRevision };
  return new StoredEntry({ ...parts, bytes: Buffer.from(text) });
}

const nameOf = (i: number): string => `ns-${String(i % 3)}/k${String(i).padStart(5, '0')}`;

/** @param perPack entries that lie in one piece of memory */
function loaded(count: number, perPack: number): CollectionView {
  const view = new CollectionView('core/configmaps', 0, limits);
  const keys = Array.from({ length: count }, (_none, i) => nameOf(i)).sort();
  for (let from = 0; from < count; from += perPack) {
    const page = keys.slice(from, from + perPack).map((key) => entryOf(key, 1));
    for (const entry of page) view.load(entry);
    packTexts(page, head);
    view.foldLoaded();
  }
  return view;
}

const all = (view: CollectionView): Entry[] => [...view.entries()];
const shown = ({ collection, key, modRevision, mark, size, bytes }: Entry): unknown[] => [
  ...[collection, key, modRevision, mark, size, bytes.toString()],
];

/** Objects that two readers are given, one after the other. */
function kept(view: CollectionView): number {
  const first = all(view);
  return all(view).filter((entry, i) => entry === first[i]).length;
}

test('there are hardly any objects, and each is what it was', () => {
  const view = loaded(4_900, 700);
  // Those of the last leaf, which grows.
  expect(kept(view)).toBeLessThan(64);
  const expected = Array.from({ length: 4_900 }, (_none, i) => shown(entryOf(nameOf(i), 1)));
  expect(all(view).map(shown)).toEqual(expected.sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)));
});

test('what something is noted of is given again, and many such ones have their neighbours given, too', () => {
  const view = loaded(12_000, 500);
  const first = view.get(nameOf(0));
  expect(first && shown(first)).toEqual(shown(entryOf(nameOf(0), 1)));
  expect(view.get(nameOf(0))).not.toBe(first);
  if (first) first.memo = new Map([['noted', 1]]);
  expect(view.get(nameOf(0))).toBe(first);
  expect([...view.entries()][0]).toBe(first);
  const before = kept(view);
  for (const entry of [...view.entries()].slice(6_000, 6_100)) entry.memo = new Map();
  expect(kept(view)).toBeGreaterThanOrEqual(before + 100);
  expect(kept(view)).toBeLessThan(before + 300);
});

test('what is not there is not found', () => {
  const view = loaded(3_000, 500);
  for (const key of ['', 'ns-0/k', `${nameOf(7)}x`, 'ns-0/k\u{1f600}', 'zz', 'ns-0/k00000\0'])
    expect([key, view.get(key)]).toEqual([key, undefined]);
});

test('changed, its neighbours are what they were, and what was before is the same object for all', () => {
  const view = loaded(3_000, 3_000);
  const earlier = view.listed(1);
  const before = view.change(nameOf(1_000), entryOf(nameOf(1_000), 2), 2, 0);
  expect(before?.isPassed).toBe(true);
  expect(earlier.get(nameOf(1_000))).toBe(before);
  expect(all(view).map(shown)).toEqual(
    [...earlier.entries('', '')].map((entry) => shown(entry === before ? entryOf(nameOf(1_000), 2) : entry)),
  );
});

test('no entry is folded of which a row would not say all', () => {
  const view = new CollectionView('core/configmaps', 0, limits);
  const form = { name: 'aescbc', isStale: false };
  const page = Array.from({ length: 600 }, (_none, i) => {
    const { key, bytes } = entryOf(nameOf(i), 1);
    return new StoredEntry({ collection: 'core/configmaps', key, modRevision: 1, bytes, mark: 0, form });
  }).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const entry of page) view.load(entry);
  packTexts(page, head);
  view.foldLoaded();
  expect(all(view)).toEqual(page);
  expect(kept(view)).toBe(600);
});

/** Bytes of the packs that the current entries keep, and of their items. */
function memoryOf(view: CollectionView): { readonly held: number; readonly used: number } {
  const packs = new Set(all(view).flatMap(({ pack }) => pack ?? []));
  const held = [...packs].reduce((sum, { memory }) => sum + memory.length, 0);
  const used = all(view).reduce(
    (sum, { pack, packedAt = 0 }) => sum + (pack === undefined ? 0 : pack.lengthOf(packedAt) + 1),
    0,
  );
  return { held, used };
}

test('once most of a pack has changed, what is left of it moves', async () => {
  const view = loaded(3_000, 500);
  for (let i = 0; i < 3_000; i += 1) if (i % 10 > 0) view.change(nameOf(i), entryOf(nameOf(i), i), i, 0);
  await packsMoved();
  const { held, used } = memoryOf(view);
  expect(held).toBeLessThanOrEqual(2 * used);
});

test('what has moved out of a pack does not keep it in memory', async () => {
  const view = loaded(3_000, 500);
  const packs = [...new Set(all(view).flatMap(({ pack }) => pack ?? []))].map((pack) => new WeakRef(pack));
  expect(packs).toHaveLength(6);
  for (let i = 0; i < 3_000; i += 1) if (i % 10 > 3) view.change(nameOf(i), entryOf(nameOf(i), i), i, 0);
  await packsMoved();
  // What weak references were looked at lives until the turn ends.
  await laterTurn();
  queryObjects(Pack);
  expect(packs.filter((pack) => pack.deref() !== undefined)).toEqual([]);
  expect(memoryOf(view).used).toBeGreaterThan(0);
});

const range = fc.record({ from: fc.nat(2_500), count: fc.nat(600), every: fc.integer({ min: 1, max: 40 }) });
const step = fc.oneof(
  fc.record({ does: fc.constant('change' as const), range }),
  fc.record({ does: fc.constant('remove' as const), range }),
  fc.record({ does: fc.constant('get' as const), range }),
  fc.record({ does: fc.constantFrom('list' as const, 'pin' as const, 'fold' as const, 'turn' as const) }),
);

class Model {
  readonly view: CollectionView;
  readonly revisions: Map<string, number>;

  constructor(view: CollectionView, revisions: ReadonlyMap<string, number>) {
    this.view = view;
    this.revisions = new Map(revisions);
  }

  change(key: string, revision: number): void {
    const previous = this.view.change(key, entryOf(key, revision), revision, 0);
    expect(previous?.modRevision).toBe(this.revisions.get(key));
    this.revisions.set(key, revision);
  }

  remove(key: string, revision: number): void {
    const previous = this.view.change(key, undefined, revision, 0);
    expect(previous?.modRevision).toBe(this.revisions.get(key));
    this.revisions.delete(key);
  }

  assert(): void {
    const expected = [...this.revisions].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(all(this.view).map(shown)).toEqual(expected.map((parts) => shown(entryOf(...parts))));
    expect(expected.map(([key]) => this.view.get(key)?.modRevision)).toEqual(expected.map(([, is]) => is));
  }
}

test('whatever changes, in it and in copies of it, is as if all objects were there; packs hold at most twice what is used', async () => {
  let revision = 1;
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 25 }),
    fc.integer({ min: 30, max: 1_500 }),
    async (steps, perPack) => {
      const first = loaded(3_000, perPack);
      const names = Array.from({ length: 3_000 }, (_none, i) => [nameOf(i), 1] as const);
      let model = new Model(first, new Map(names));
      const others: Model[] = [];
      const listed: (() => void)[] = [];
      for (const one of steps) {
        const { from, count, every } = 'range' in one ? one.range : { from: 0, count: 0, every: 1 };
        for (let i = from; i < from + count; i += every) {
          revision += 1;
          if (one.does === 'change') model.change(nameOf(i), revision);
          else if (one.does === 'remove') model.remove(nameOf(i), revision);
          else model.view.get(nameOf(i));
        }
        if (one.does === 'turn') await packsMoved();
        if (one.does === 'fold') model.view.foldLoaded();
        if (one.does === 'list') {
          const snapshot = model.view.listed(revision);
          const expected = all(model.view).map(shown);
          listed.push(() => {
            expect([...snapshot.entries('', '')].map(shown)).toEqual(expected);
          });
        }
        if (one.does === 'pin') {
          others.push(model);
          model = new Model(copyOf(model.view.pinned(), revision), model.revisions);
        }
      }
      await packsMoved();
      for (const one of [model, ...others]) one.assert();
      for (const assert of listed) assert();
      if (others.length > 0) return;
      const { held, used } = memoryOf(model.view);
      expect(held).toBeLessThanOrEqual(2 * used + 64);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

function copyOf(pinned: PinnedCollection, revision: number): CollectionView {
  return new CollectionView('core/configmaps', revision, limits, pinned);
}
