/** Chunks of as many objects as a client asks for, and what an index finds of a large collection: in turns of some milliseconds. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { ListOptions, ListResult, RequestScope } from '../../../src/registry/types.ts';
import { CollectionView } from '../../../src/storage/view/collection.ts';
import { StoredEntry } from '../../../src/storage/view/stored-entry.ts';
import type { Attribute, CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const resource = realCatalogue(namingProfiles.orch).catalogue.resource('', 'v1', 'configmaps');
const bytes = Buffer.from(
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","labels":{"app":"a"}}}',
);

function viewOf(size: number): CollectionView {
  const view = new CollectionView('core/configmaps', 0, {
    maxPastStates: 10,
    maxPastStateBytes: 1e9,
    maxAgeMs: 1e9,
  });
  const facts = { collection: 'core/configmaps', modRevision: 1, bytes, mark: 0 };
  for (let i = 0; i < size; i += 1)
    view.load(new StoredEntry({ ...facts, key: `x/k${String(i).padStart(6, '0')}` }));
  return view;
}

function list(snapshot: CollectionSnapshot, given: Partial<ListOptions>): Promise<ListResult> {
  const storage: Partial<Storage> = { snapshot: () => Promise.resolve(snapshot) };
  const { signal } = new AbortController();
  const scope = { resource, namespace: 'x', signal, user: { name: 'ann' } } as RequestScope;
  return listObjects(storage as Storage, scope, {
    ...{ resourceVersion: '', resourceVersionMatch: '', fieldSelector: '', labelSelector: '' },
    ...{ continue: '', limit: 0 },
    ...given,
  });
}

describe('a chunk of most of a collection', () => {
  const turns = countedTurns();
  const size = 20_000;

  /** Counts the entries that are taken of it. */
  function counted(): CollectionSnapshot & { taken: number } {
    const all = viewOf(size).snapshot(1);
    const entries = function* (prefix: string, after: string): Generator<Entry> {
      for (const entry of all.entries(prefix, after)) {
        found.taken += 1;
        turns.step(0.05);
        yield entry;
      }
    };
    const found = {
      ...{ collection: all.collection, revision: 1, size, contents: all.contents, taken: 0 },
      get: (key: string) => all.get(key),
      count: (prefix: string, after: string) => all.count(prefix, after),
      having: () => undefined,
      entries: (prefix: string, after: string) => ({
        [Symbol.iterator]: () => entries(prefix, after),
      }),
      page: (prefix: string, after: string, limit: number) =>
        Array.from(found.entries(prefix, after)).slice(0, limit),
    };
    return found;
  }

  test('is found in turns, and has a token behind its last object', async () => {
    const snapshot = counted();
    const chunk = await list(snapshot, { limit: 15_000 });
    expect(turns.most()).toBeLessThan(1_000);
    expect(chunk.remainingItemCount).toBe(5_000);
    const keys = [...chunk.entries].map(({ key }) => key);
    expect([keys.length, chunk.entries.length, keys.at(-1)]).toEqual([15_000, 15_000, 'x/k014999']);
    const rest = await list(snapshot, { limit: 15_000, continue: chunk.continue });
    expect([[...rest.entries][0]?.key, rest.entries.length, rest.continue]).toEqual([
      ...['x/k015000', 5_000, ''],
    ]);
  });

  test('nothing is made of it before it is sent', async () => {
    const snapshot = counted();
    const chunk = await list(snapshot, { limit: 1_000_000 });
    expect([snapshot.taken, chunk.entries.length, chunk.continue]).toEqual([0, size, '']);
    expect([...chunk.entries]).toHaveLength(size);
  });
});

test('tens of thousands that an index finds are put in order in turns', async () => {
  const size = 500_000;
  const snapshot = viewOf(size).snapshot(1);
  const attribute: Attribute = {
    id: 'eighth',
    read: ({ key }) => (key.endsWith('0') || key.endsWith('05') || key.endsWith('15') ? 'a' : undefined),
  };
  const values = new Set(['a']);
  await waitFor('the index', () => snapshot.having(attribute, values) !== undefined);
  const having: CollectionSnapshot['having'] = () => snapshot.having(attribute, values);
  const indexed: Partial<CollectionSnapshot> = { revision: 1, having, get: (key) => snapshot.get(key) };
  let found: ListResult | undefined;
  const [longest = 0] = await turnsOf(async () => {
    found = await list(indexed as CollectionSnapshot, { labelSelector: 'app=a', limit: 3 });
  });
  expect([...(found?.entries ?? [])].map(({ key }) => key)).toEqual(['x/k000000', 'x/k000005', 'x/k000010']);
  expect(longest).toBeLessThan(cpuBudget(25));
});
