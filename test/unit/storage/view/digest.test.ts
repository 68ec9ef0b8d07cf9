import fc from 'fast-check';

import { CollectionView } from '../../../../src/storage/view/collection.ts';
import { Digest } from '../../../../src/storage/view/digest.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';

const roomy = { maxPastStates: 1_000, maxPastStateBytes: 1e9, maxAgeMs: 1e9 };
const entry = (key: string, modRevision: number) =>
  new StoredEntry({ collection: 'c', key, modRevision, bytes: Buffer.from('xx'), mark: 0 });
const unreadable = (key: string, modRevision: number) =>
  new UnreadableEntry({ collection: 'c', key }, modRevision, 'no key decrypts it');

type Pair = readonly [key: string, revision: number];

function digestOf(pairs: Iterable<Pair>): Digest {
  const digest = new Digest();
  for (const [key, revision] of pairs) digest.add(key, revision);
  return digest;
}

const key = fc.oneof(fc.stringMatching(/^[ab]\/[a-c]{1,3}$/), fc.string({ unit: 'binary', minLength: 1 }));
const revision = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.maxSafeNat().filter(Boolean));
const pairs = fc.uniqueArray(fc.tuple(key, revision), { selector: ([name]) => name });

test('the digest of a collection is that of its keys and revisions, whatever happened to them', () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 30 }),
    kind: fc.constantFrom('put', 'put', 'remove', 'block', 'load', 'loadUnreadable'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 2 ** 40 }), (steps, first) => {
      const view = new CollectionView('c', 0, roomy);
      const model = new Map<string, number>();
      const pins: { want: Digest; got: Digest }[] = [];
      let at = first;
      for (const { key: number, kind } of steps) {
        at += 1;
        const name = `ns/name-${String(number)}`;
        const isBlocked = view.unreadable.revisionOf(name) > 0;
        // A load has each key once, readable or not.
        if (kind === 'load' && isBlocked) continue;
        if (kind === 'loadUnreadable' && view.get(name) !== undefined) continue;
        if (kind === 'put') view.change(name, entry(name, at), at, 0);
        else if (kind === 'remove') view.change(name, undefined, at, 0);
        else if (kind === 'block') view.block(unreadable(name, at), at, 0);
        else if (kind === 'load') view.load(entry(name, at));
        else view.loadUnreadable(unreadable(name, at));
        if (kind === 'remove') model.delete(name);
        else model.set(name, at);
        expect(view.revisionOf(name)).toBe(model.get(name) ?? 0);
        pins.push({ want: digestOf(model), got: view.pinned().digest });
      }
      for (const { want, got } of pins) expect(got.equals(want)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('a pinned collection stays as it was', () => {
  const view = new CollectionView('c', 0, roomy);
  view.change('a', entry('a', 1), 1, 0);
  view.block(unreadable('b', 2), 2, 0);
  const { digest, tree, unreadable: blocked } = view.pinned();
  view.change('a', undefined, 3, 0);
  view.change('b', undefined, 4, 0);
  view.change('c', entry('c', 5), 5, 0);
  expect([
    ...Array.from(tree.range(0, Infinity), (one) => one.key),
    ...Array.from(blocked.all(), (one) => one.key),
  ]).toEqual(['a', 'b']);
  expect([tree.get('a')?.modRevision, blocked.revisionOf('b')]).toEqual([1, 2]);
  expect(digest.equals(digestOf(Object.entries({ a: 1, b: 2 })))).toBe(true);
});

test('the order does not matter, and removals undo additions', () => {
  fc.assert(
    fc.property(pairs, fc.array(fc.nat(), { minLength: 1 }), (set, mixed) => {
      const others = set
        .map((pair, i) => [mixed[i % mixed.length] ?? 0, pair] as const)
        .sort(([a], [b]) => a - b)
        .map(([, pair]) => pair);
      const digest = digestOf(others);
      expect(digest.equals(digestOf(set))).toBe(true);
      for (const [name, at] of set) digest.replace(name, at, 0);
      expect(digest.equals(new Digest())).toBe(true);
    }),
  );
});

test('other sets have other digests: a key more or less, another revision, revisions exchanged', () => {
  fc.assert(
    fc.property(pairs, pairs, (one, other) => {
      const isSame = JSON.stringify([...one].sort(byKey)) === JSON.stringify([...other].sort(byKey));
      expect(digestOf(one).equals(digestOf(other))).toBe(isSame);
    }),
  );
  fc.assert(
    fc.property(
      pairs.filter((set) => set.length > 1),
      (set) => {
        const [[a, first] = ['', 0], [b, second] = ['', 0], ...rest] = set;
        const exchanged = digestOf([[a, second], [b, first], ...rest]);
        expect(exchanged.equals(digestOf(set))).toBe(first === second);
        expect(digestOf(set.slice(1)).equals(digestOf(set))).toBe(false);
        expect(digestOf([[a, first + 1], ...set.slice(1)]).equals(digestOf(set))).toBe(false);
      },
    ),
  );
});

test('names that differ in a digit spread over both sums', () => {
  const low = new Set<number>();
  const digests: Digest[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    const digest = digestOf([[`namespace-${String(i % 40)}/pod-${String(i)}`, 1_000 + i]]);
    digests.push(digest);
    low.add(digest.value[0]);
  }
  // By chance two of 2,000 numbers of 32 bits are equal once in 2,000 runs, and the numbers are always the same.
  expect(low.size).toBe(2_000);
  expect(new Set(digests.map(({ value }) => value[1])).size).toBe(2_000);
});

function byKey([a]: Pair, [b]: Pair): number {
  return a < b ? -1 : 1;
}
