/** Stored custom resources that defaults make far larger: watches and chunks of lists take some of them at a time. */
import { performance } from 'node:perf_hooks';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { StoredForm } from '../../../src/extension/custom-resources/custom-stored-form.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { RequestScope, WatchItem, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { sizeOf } from '../../../src/storage/size.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');
const { catalogue } = realCatalogue(naming);

/** Each of the 20 items of an object gets so many bytes. */
const added = 100_000;
const grownBytes = 20 * added;
const count = 40;
const entries = Array.from({ length: count }, (_, i) => {
  const object = { kind: 'Thing', apiVersion: 'a.test/v1', metadata: { name: `m-${String(i)}` } };
  const bytes = encodeStored({ ...object, spec: { items: Array.from({ length: 20 }, () => ({})) } });
  return newEntry('a.test/things', `x/m-${String(i).padStart(2, '0')}`, bytes, i + 1);
});

/** Objects that were converted. */
let converted = 0;

class CountedVersion extends CustomVersion {
  override *defaultsInSteps(
    object: Parameters<CustomVersion['defaultsInSteps']>[0],
  ): Generator<void, boolean, void> {
    converted += 1;
    return yield* super.defaultsInSteps(object);
  }
}

function scopeOfThings(): RequestScope {
  const item = { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(added) } } };
  const spec = { type: 'object', properties: { items: { type: 'array', items: item } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const parts = { prefix: naming.extensionPrefix, metadata, isFree: false };
  const stored = new CountedVersion({
    ...parts,
    version: { name: 'v1', served: true, storage: true, schema },
  });
  const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
  const kept = new EntryCache(1024 * 1024, cells, systemRandom);
  const form = new StoredForm({
    ...{ group: 'a.test', versions: [stored], stored, version: stored },
    ...{ webhook: undefined, kept, isPlain: false },
  });
  const { signal } = new AbortController();
  const resource = catalogue.resource('', 'v1', 'configmaps');
  return {
    resource: { ...resource, conversion: { stored: form } },
    namespace: 'x',
    signal,
    user: { name: 'u' },
  } as unknown as RequestScope;
}

const snapshot = {
  ...{
    revision: count,
    entries: (_prefix: string, after: string) => entries.filter(({ key }) => key > after),
  },
  count: (_prefix: string, after: string) => entries.filter(({ key }) => key > after).length,
} as unknown as CollectionSnapshot;

const storage = {
  watch: (_options, subscriber) => {
    subscriber.onEstablished();
    subscriber.onInitial(snapshot);
    return { close: () => undefined };
  },
  snapshot: () => Promise.resolve(snapshot),
} as Pick<Storage, 'watch' | 'snapshot'> as Storage;

const query = {
  ...{ name: '', resourceVersion: '', resourceVersionMatch: '', fieldSelector: '', labelSelector: '' },
  ...{ sendInitialEvents: undefined, allowsBookmarks: false },
} as unknown as WatchQuery;

/** Watches until the state is complete. */
async function watched(scope: RequestScope, sink: Pick<WatchSink, 'onItems' | 'ready'>): Promise<void> {
  const state = Promise.withResolvers<undefined>();
  const full: WatchSink = {
    ...sink,
    onBookmark: () => state.resolve(undefined),
    onError: (error: unknown) => state.reject(error),
  };
  await watchObjects(storage, scope, { query, streaming: 'unknown' }, full);
  await state.promise;
}

test('a watch gets some of them, and no more is converted before they are read', async () => {
  converted = 0;
  let shown = 0;
  let most = 0;
  await watched(scopeOfThings(), {
    onItems: (items: readonly WatchItem[]) => {
      const bytes = items.reduce((sum, { event }) => sum + sizeOf(event), 0);
      expect(bytes).toBeGreaterThan(items.length * grownBytes);
      shown += items.length;
      most = Math.max(most, bytes);
    },
    ready: () => {
      expect(converted).toBe(shown);
      return Promise.resolve();
    },
  });
  expect(shown).toBe(count);
  expect(most).toBeLessThan(3 * grownBytes);
});

test('watches that share the conversions go on in turns of their own', async () => {
  const scope = scopeOfThings();
  const turns: number[] = [];
  const sink = {
    onItems: () => {
      turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
      // Longer than a slice, as what is made of large objects takes.
      const end = performance.now() + 6;
      while (performance.now() < end);
    },
    ready: () => Promise.resolve(),
  };
  await Promise.all(Array.from({ length: 4 }, () => watched(scope, sink)));
  expect(turns.length).toBeGreaterThanOrEqual(4);
  expect(new Set(turns).size).toBe(turns.length);
});

test('a chunk of a list ends early, and the next ones have the others', async () => {
  const scope = scopeOfThings();
  const seen: Entry[] = [];
  const chunks: number[] = [];
  let token = '';
  do {
    const options = { limit: 500, continue: token, resourceVersion: '', resourceVersionMatch: '' };
    const list = await listObjects(storage, scope, {
      ...options,
      ...{ labelSelector: '', fieldSelector: '' },
    });
    const chunk = [...list.entries];
    expect(list.remainingItemCount ?? 0).toBe(count - seen.length - chunk.length);
    seen.push(...chunk);
    chunks.push(chunk.length);
    token = list.continue;
  } while (token !== '' && chunks.length < count);
  expect(seen.map(({ key }) => key)).toEqual(entries.map(({ key }) => key));
  // 32 MiB each.
  expect(chunks).toEqual([17, 17, 6]);
});
