import { systemClock } from '../../../../src/base/clock.ts';
import fc from 'fast-check';

import { CollectionView } from '../../../../src/storage/view/collection.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import { StateTree } from '../../../../src/storage/view/state-tree.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { RevisionWaiters } from '../../../../src/storage/view/revision-waiters.ts';
import type { CollectionSnapshot } from '../../../../src/storage/types.ts';

const roomy = { maxPastStates: 1_000, maxPastStateBytes: 1e9, maxAgeMs: 1e9 };
const entry = (key: string, modRevision: number, bytes = Buffer.from('xx')) =>
  new StoredEntry({ collection: 'c', key, modRevision, bytes, mark: 0 });

/** Keys and revisions of a snapshot. */
const shown = (snapshot: CollectionSnapshot | undefined): Record<string, number> =>
  Object.fromEntries(
    Array.from(snapshot?.entries('', '') ?? [], ({ key, modRevision }) => [key, modRevision]),
  );

test('states that were listed stay as they were and can be found by any revision of their span', () => {
  const change = fc.record({
    key: fc.integer({ min: 0, max: 200 }),
    isRemoval: fc.boolean(),
    isListed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 400 }), (changes) => {
      const view = new CollectionView('c', 0, roomy);
      const model = new Map<string, number>();
      const listed: { revision: number; want: Record<string, number>; got: CollectionSnapshot }[] = [];
      let revision = 0;
      for (const { key, isRemoval, isListed } of changes) {
        revision += 2;
        const name = `k${String(key)}`;
        view.change(name, isRemoval ? undefined : entry(name, revision), revision, 0);
        if (isRemoval) model.delete(name);
        else model.set(name, revision);
        if (isListed) listed.push({ revision, want: Object.fromEntries(model), got: view.listed(revision) });
      }
      for (const { revision: at, want, got } of listed) {
        expect(shown(got)).toEqual(want);
        expect(shown(view.stateAt(at, revision))).toEqual(want);
        const within = view.stateAt(at + 1, revision + 1);
        expect([within?.revision, shown(within)]).toEqual([at + 1, want]);
      }
    }),
    { numRuns: 50 },
  );
});

describe('an object that cannot be read', () => {
  const unreadable = (key: string, revision: number) =>
    new UnreadableEntry({ collection: 'c', key }, revision, 'no key decrypts it');
  const blocked = (): CollectionView => {
    const view = new CollectionView('c', 0, roomy);
    view.change('ns/a', entry('ns/a', 1), 1, 0);
    view.block(unreadable('ns/b', 2), 2, 0);
    return view;
  };

  test('is missing in a state for ever, also when it can be read later', () => {
    const view = blocked();
    const state = view.listed(2);
    view.change('ns/b', entry('ns/b', 3), 3, 0);
    for (const each of [state, view.stateAt(2, 3)]) {
      expect(shown(each)).toEqual({ 'ns/a': 1 });
      expect(each?.unreadableIn('ns/')).toMatchObject({ code: 'unreadable', key: 'ns/b' });
      expect(each?.unreadableIn('other/')).toBeUndefined();
      expect(() => each?.readable('ns/b')).toThrow('cannot be read');
      expect(each?.readable('ns/c')).toBeUndefined();
    }
    const now = view.listed(3);
    expect(now.unreadableIn('')).toBeUndefined();
    expect(now.readable('ns/b')?.modRevision).toBe(3);
  });

  test('is not missing in states from before', () => {
    const view = new CollectionView('c', 0, roomy);
    view.change('ns/b', entry('ns/b', 1), 1, 0);
    const state = view.listed(1);
    view.block(unreadable('ns/b', 2), 2, 0);
    for (const each of [state, view.stateAt(1, 2)]) {
      expect(each?.unreadableIn('')).toBeUndefined();
      expect(each?.readable('ns/b')?.modRevision).toBe(1);
    }
    expect(view.listed(2).unreadableIn('')).toMatchObject({ code: 'unreadable' });
  });
});

test('replaced and deleted entries are marked as passed; current ones are not', () => {
  const view = new CollectionView('c', 0, roomy);
  const [first, second, third] = [entry('a', 1), entry('a', 2), entry('b', 3)];
  view.load(first);
  view.change('a', second, 2, 0);
  view.change('b', third, 3, 0);
  view.change('b', undefined, 4, 0);
  expect([first, second, third].map(({ isPassed }) => isPassed)).toEqual([true, false, true]);
});

test('counts agree with listings', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[ab]\/[a-c]{1,3}$/)),
      fc.stringMatching(/^([ab]\/[a-c]{0,3})?$/),
      (keys, after) => {
        const view = new CollectionView('c', 0, roomy);
        for (const key of keys) view.load(entry(key, 1));
        const snapshot = view.snapshot(1);
        for (const prefix of ['', 'a/', 'b/', 'x/']) {
          const want = keys.filter((key) => key.startsWith(prefix) && key > after).sort();
          expect(Array.from(snapshot.entries(prefix, after), ({ key }) => key)).toEqual(want);
          for (const limit of [0, 1, 3, Infinity]) {
            const page = snapshot.page(prefix, after, limit);
            expect(page.map(({ key }) => key)).toEqual(want.slice(0, limit));
          }
          expect(snapshot.count(prefix, after)).toBe(want.length);
        }
      },
    ),
  );
});

test('a state that was not listed is not cached', () => {
  const view = new CollectionView('c', 0, roomy);
  view.change('a', entry('a', 1), 1, 0);
  view.snapshot(1);
  view.change('a', entry('a', 2), 2, 0);
  expect([view.pastStates.size, view.stateAt(1, 2)]).toEqual([0, undefined]);
  expect(view.stateAt(3, 2)).toBeUndefined();
});

test.each([
  ['number', { ...roomy, maxPastStates: 3 }, 3],
  ['age', { ...roomy, maxAgeMs: 35 }, 4],
  ['bytes', { ...roomy, maxPastStateBytes: 6 }, 3],
])('kept states are bounded by %s', (_name, limits, want) => {
  const view = new CollectionView('c', 0, limits);
  for (let i = 1; i <= 10; i += 1) {
    view.change('a', entry('a', i), i, i * 10);
    view.listed(i);
  }
  view.pastStates.trim({ churn: view.churn, now: 100, compactedAt: 0 });
  expect(view.pastStates.size).toBe(want);
  expect(view.stateAt(9, 10)).toBeDefined();
  expect(view.stateAt(1, 10)).toBeUndefined();
});

test('the oldest state is evicted first, regardless of use', () => {
  const view = new CollectionView('c', 0, { ...roomy, maxAgeMs: 35 });
  for (let i = 1; i <= 10; i += 1) {
    view.change('a', entry('a', i), i, i * 10);
    view.listed(i);
    view.stateAt(1, i);
  }
  view.pastStates.trim({ churn: view.churn, now: 100, compactedAt: 0 });
  expect([1, 5, 9].map((revision) => view.stateAt(revision, 10) !== undefined)).toEqual([false, false, true]);
});

test('what is compacted is kept no longer', () => {
  const view = new CollectionView('c', 0, roomy);
  for (let i = 1; i <= 5; i += 1) {
    view.change('a', entry('a', i), i, 0);
    view.listed(i);
  }
  view.pastStates.trim({ churn: view.churn, now: 0, compactedAt: 3 });
  expect([1, 2, 3, 4].map((revision) => view.stateAt(revision, 5) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('states that were read count with what only they hold; the newest alone may hold more than is allowed', () => {
  const view = new CollectionView('c', 50, { ...roomy, maxPastStateBytes: 100 });
  const tree = new StateTree();
  for (let i = 1; i <= 9; i += 1) view.keepRead(i, { tree, ownBytes: 30 }, i);
  expect(view.pastStates.size).toBe(3);
  view.keepRead(10, { tree, ownBytes: 5_000 }, 10);
  expect([9, 10].map((revision) => view.stateAt(revision, 50) !== undefined)).toEqual([false, true]);
  view.keepRead(11, { tree, ownBytes: 60 }, 11);
  expect(view.pastStates.size).toBe(1);
  view.pastStates.trim({ churn: view.churn, now: 2e9, compactedAt: 0 });
  expect(view.pastStates.size).toBe(0);
});

test('waiters for a revision resolve when it is reached, or after the timeout', async () => {
  const waiters = new RevisionWaiters(systemClock);
  const [near, far, late] = [waiters.until(5, 60_000), waiters.until(9, 60_000), waiters.until(9, 1)];
  waiters.reached(7);
  expect([await near, await late, await waiters.until(7, 1)]).toEqual([true, false, true]);
  waiters.close();
  expect(await far).toBe(false);
});
