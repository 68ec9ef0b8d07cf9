/** What admission reads is parsed once for each revision of an object. */
import { encodeStored } from '../../../src/codec/stored.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { createStorageReader } from '../../../src/server/admission/storage-reader.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

function entryOf(revision: number): Entry {
  const bytes = encodeStored({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a' } });
  return newEntry('core/namespaces', 'a', bytes, revision);
}

test('one entry is one object, until another revision is there', async () => {
  let entry = entryOf(5);
  const reader = createStorageReader({
    peek: () => entry,
    get: () => Promise.resolve(entry),
    view: () => ({ entries: () => [entry] }) as unknown as CollectionSnapshot,
  });
  const peek = (): unknown => reader.peek('core/namespaces', 'a');
  const seen = peek();
  expect(seen).toMatchObject({ metadata: { name: 'a', resourceVersion: '5' } });
  expect(peek()).toBe(seen);
  expect(await reader.read('core/namespaces', 'a', AbortSignal.timeout(1000))).toBe(seen);
  expect(reader.list('core/namespaces', '')).toEqual([seen]);
  entry = entryOf(6);
  expect(peek()).toMatchObject({ metadata: { resourceVersion: '6' } });
});

test('a list is parsed once, however much it holds', async () => {
  const hard = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`count/x${String(i)}`, '1']));
  const bytes = encodeStored({ kind: 'ResourceQuota', apiVersion: 'v1', metadata: {}, spec: { hard } });
  const entries = Array.from({ length: 100 }, (_, i) =>
    newEntry('core/resourcequotas', `n/q${String(i)}`, bytes, i + 1),
  );
  const reader = createStorageReader({
    peek: () => undefined,
    get: () => Promise.resolve(undefined),
    view: () => ({ entries: () => entries }) as unknown as CollectionSnapshot,
  });
  const first = reader.list('core/resourcequotas', 'n/');
  const again = reader.list('core/resourcequotas', 'n/');
  expect(first).toHaveLength(100);
  expect(again.filter((object, i) => object !== first[i])).toEqual([]);
  const sliced = (await reader.listInSlices?.('core/resourcequotas', 'n/')) ?? [];
  expect(sliced.length === 100 && sliced.every((object, i) => object === first[i])).toBe(true);
  expect(reader.largestOf?.('core/resourcequotas', 'n/')).toBe(bytes.length);
});

test('thousands of objects are read in slices', async () => {
  const spec = {
    hard: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`count/x${String(i)}`, '1'])),
  };
  const bytes = encodeStored({ kind: 'ResourceQuota', apiVersion: 'v1', metadata: {}, spec });
  const longest = await leastOfThree(async () => {
    // Of others each time: what was read of an entry is kept with it.
    const entries = Array.from({ length: 10_000 }, (_, i) =>
      newEntry('core/resourcequotas', `n/q${String(i)}`, bytes, i + 1),
    );
    const reader = createStorageReader({
      peek: () => undefined,
      get: () => Promise.resolve(undefined),
      view: () => ({ entries: () => entries }) as unknown as CollectionSnapshot,
    });
    const [turn = 0] = await turnsOf(() => reader.listInSlices?.('core/resourcequotas', 'n/'));
    return turn;
  });
  expect(longest).toBeLessThan(cpuBudget(20));
});
