/** Watches that begin at once with the state of a large collection. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import type { RequestScope, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import type { CollectionSnapshot, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import { longestTurn } from '../../support/storage.ts';

const { catalogue } = realCatalogue(namingProfiles.orch);
const count = 4_000;
const entries = Array.from({ length: count }, (_, i) => {
  const metadata = { name: `m-${String(i)}`, namespace: 'x', labels: { app: `a${String(i % 10)}` } };
  return entryOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, `x/m-${String(i)}`, i + 1);
});

/** A storage of which each watch begins at once with all entries. */
const storage = {
  watch: (_options, subscriber) => {
    subscriber.onEstablished();
    subscriber.onInitial({ revision: count, entries: () => entries } as unknown as CollectionSnapshot);
    return { close: () => undefined };
  },
} as Pick<Storage, 'watch'> as Storage;

async function start(selector: string): Promise<number> {
  const resource = catalogue.resource('', 'v1', 'configmaps');
  const scope = { resource, namespace: 'x', signal: new AbortController().signal } as RequestScope;
  const query = {
    ...{ name: '', resourceVersion: '', resourceVersionMatch: '', fieldSelector: '' },
    ...{ labelSelector: selector, sendInitialEvents: undefined, allowsBookmarks: false },
  } as unknown as WatchQuery;
  let shown = 0;
  const state = Promise.withResolvers<undefined>();
  const sink: WatchSink = {
    onItems: (items: readonly unknown[]) => (shown += items.length),
    onBookmark: () => state.resolve(undefined),
    onError: (error: unknown) => state.reject(error),
    ready: () => Promise.resolve(),
  };
  await watchObjects(storage, scope, { query, streaming: 'unknown' }, sink);
  await state.promise;
  return shown;
}

/** Milliseconds of the longest turn while three hundred watches begin. */
async function startAll(): Promise<number> {
  const starts = Array.from({ length: 300 }, (_, i) => start(i % 30 === 0 ? 'app=a1' : 'app=none'));
  const longest = await longestTurn(Promise.all(starts));
  const shown = await Promise.all(starts);
  expect(shown.filter((number) => number === count / 10)).toHaveLength(10);
  expect(shown.filter((number) => number === 0)).toHaveLength(290);
  return longest;
}

test('share the time of the thread, and each gets what it selects', async () => {
  await start('app=a1');
  expect(await leastOfThree(startAll)).toBeLessThan(cpuBudget(60));
}, 120_000);
