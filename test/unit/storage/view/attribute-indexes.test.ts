/** Lists that pick by an attribute see exactly what looking at all entries would show them. */
import fc from 'fast-check';

import { CollectionView } from '../../../../src/storage/view/collection.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { sizeOf } from '../../../../src/storage/size.ts';
import type { Attribute, Entry } from '../../../../src/storage/types.ts';
import { waitFor } from '../../../support/wait-for.ts';

const roomy = { maxPastStates: 1_000, maxPastStateBytes: 1e9, maxAgeMs: 1e9 };
const colour: Attribute = { id: 'colour', read: ({ bytes }) => bytes.toString() || undefined };
const entry = (key: string, modRevision: number, value: string): StoredEntry =>
  new StoredEntry({ collection: 'c', key, modRevision, bytes: Buffer.from(value), mark: 0 });

/** Looks at all entries; their keys. */
function lookedAt(view: CollectionView, revision: number, values: ReadonlySet<string>): readonly string[] {
  const all = [...view.snapshot(revision).entries('', '')];
  return all.filter((one) => values.has(colour.read(one) ?? '')).map(({ key }) => key);
}

/** A collection of `size` entries, a tenth of which are of each colour from c0 to c8; the others have none. */
function coloured(size: number): CollectionView {
  const view = new CollectionView('c', 0, roomy);
  for (let i = 0; i < size; i += 1) view.load(entry(nameOf(i), 1, i % 10 === 9 ? '' : `c${String(i % 10)}`));
  return view;
}

function nameOf(i: number): string {
  return `k${String(i).padStart(5, '0')}`;
}

const red: ReadonlySet<string> = new Set(['c3']);

async function indexed(view: CollectionView, revision: number, attribute = colour): Promise<void> {
  await waitFor('the index', () => view.snapshot(revision).having(attribute, red) !== undefined);
}

test('random changes, while it is filled and after: as if all had been looked at', async () => {
  const change = fc.record({
    key: fc.integer({ min: 0, max: 1_300 }),
    value: fc.constantFrom('', 'c1', 'c3', 'new', '__proto__'),
    isRemoval: fc.boolean(),
  });
  const changes = fc.array(change, { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(changes, changes, async (during, after) => {
      const view = coloured(1_200);
      let revision = 1;
      const apply = (all: typeof during): void => {
        for (const { key, value, isRemoval } of all) {
          revision += 1;
          const name = nameOf(key);
          view.change(name, isRemoval ? undefined : entry(name, revision, value), revision, 0);
        }
      };
      for (let i = 0; i < 2; i += 1) expect(view.snapshot(revision).having(colour, red)).toBeUndefined();
      apply(during);
      await indexed(view, revision);
      apply(after);
      for (const values of [red, new Set(['new', '__proto__']), new Set(['c1', 'none'])]) {
        const picked = view.snapshot(revision).having(colour, values);
        expect(picked?.toSorted()).toEqual(lookedAt(view, revision, values));
      }
    }),
    { numRuns: 40 },
  );
});

test('a snapshot of an earlier state is not answered from the current one', async () => {
  const view = coloured(1_000);
  const earlier = view.listed(1);
  earlier.having(colour, red);
  await indexed(view, 1);
  expect(earlier.having(colour, red)).toHaveLength(100);
  view.change(nameOf(3), undefined, 2, 0);
  expect(earlier.having(colour, red)).toBeUndefined();
  expect(view.snapshot(2).having(colour, red)).toHaveLength(99);
});

test('small collections, and values that most entries have, are looked at as a whole', async () => {
  const small = coloured(900);
  for (let i = 0; i < 3; i += 1) expect(small.snapshot(1).having(colour, red)).toBeUndefined();
  const view = coloured(1_000);
  view.snapshot(1).having(colour, red);
  await indexed(view, 1);
  expect(view.snapshot(1).having(colour, new Set(['c1', 'c2']))).toBeUndefined();
});

test('the attribute that was not asked for longest makes room; one that cannot be read has no index', async () => {
  const view = coloured(1_000);
  const attributes = Array.from({ length: 5 }, (_, i) => ({ ...colour, id: String(i) }));
  for (const attribute of attributes) {
    view.snapshot(1).having(attribute, red);
    await indexed(view, 1, attribute);
  }
  expect(attributes.map((attribute) => view.snapshot(1).having(attribute, red) !== undefined)).toEqual([
    ...[false, true, true, true, true],
  ]);
  let isBroken = false;
  const fragile: Attribute = {
    id: 'fragile',
    read: (one) => {
      if (isBroken) throw new Error('unreadable');
      return colour.read(one);
    },
  };
  view.snapshot(1).having(fragile, red);
  await indexed(view, 1, fragile);
  isBroken = true;
  view.change(nameOf(0), entry(nameOf(0), 2, 'c3'), 2, 0);
  expect(view.snapshot(2).having(fragile, red)).toBeUndefined();
  expect(view.get(nameOf(0))?.modRevision).toBe(2);
});

test('large objects are read neither to fill an index nor as they change: lists look at them', async () => {
  const isLarge = (one: Entry): boolean => sizeOf(one) > 100;
  const read = jest.fn(colour.read);
  const attribute: Attribute = { id: 'sized', read, isLarge };
  const view = coloured(1_000);
  const large = entry(nameOf(3), 2, 'x'.repeat(200));
  const before = entry(nameOf(13), 2, 'x'.repeat(200));
  for (const one of [large, before]) view.change(one.key, one, 2, 0);
  view.snapshot(2).having(attribute, red);
  await indexed(view, 2, attribute);
  expect(view.snapshot(2).having(attribute, red)).toHaveLength(100);
  view.change(large.key, entry(large.key, 3, 'c1'), 3, 0);
  view.change(before.key, undefined, 4, 0);
  view.change('new', entry('new', 5, 'y'.repeat(200)), 5, 0);
  expect(view.snapshot(5).having(attribute, red)?.toSorted()).toEqual(
    [...lookedAt(view, 5, red), 'new'].toSorted(),
  );
  expect(read.mock.calls.filter(([one]) => isLarge(one))).toEqual([]);
});
