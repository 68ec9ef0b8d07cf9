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
import { GrownRoom, growthOfWatch } from '../../../src/registry/conversion/grown-room.ts';
import { everything } from '../../../src/registry/read/list-options.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { RequestScope, WatchItem, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { sizeOf } from '../../../src/storage/size.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';
import { HandClock } from '../../support/hand-clock.ts';
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

/** A client's request: its end is told. */
class Client {
  readonly reason = undefined;
  aborted = false;
  /** Of the list that it has got. */
  bytes = 0;
  private readonly actions: (() => void)[] = [];

  onClose(action: () => void): void {
    this.actions.push(action);
  }

  close(): void {
    for (const action of this.actions) action();
  }
}

function scopeOfThings(lifetime?: Client): RequestScope {
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
    ...(lifetime && { lifetime }),
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
async function watched(
  scope: RequestScope,
  sink: Pick<WatchSink, 'onItems' | 'ready'>,
  room?: GrownRoom,
): Promise<void> {
  const state = Promise.withResolvers<undefined>();
  const full: WatchSink = {
    ...sink,
    onBookmark: () => state.resolve(undefined),
    onError: (error: unknown) => state.reject(error),
  };
  await watchObjects(storage, scope, { query, streaming: 'unknown', ...(room && { room }) }, full);
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

/** Room for one whole list of a user. */
const all = count * grownBytes;
const limits = {
  ...{ total: 2.5 * all, perFlow: 1.25 * all, maxWaiting: 10 },
  ...{ ofList: 1.1 * all, maxWaitMs: 1_000 },
};

test('of lists that clients do not read, only so many hold what they grew by; others wait, or are told to come back', async () => {
  const clock = new HandClock();
  const room = new GrownRoom(clock, limits);
  const clients = new Set(Array.from({ length: 6 }, () => new Client()));
  const made = async (client: Client): Promise<Client> => {
    const list = await listObjects(storage, scopeOfThings(client), everything, room);
    client.bytes = [...list.entries].reduce((sum, entry) => sum + sizeOf(entry), 0);
    return client;
  };
  const lists = new Map([...clients].map((client) => [client, made(client)]));
  for (let i = 0; i < 2; i += 1) {
    const client = await Promise.race(lists.values());
    lists.delete(client);
    expect(client.bytes).toBeGreaterThan(all);
    expect(room.inUse).toBeGreaterThan(client.bytes * 0.99);
    expect(room.inUse).toBeLessThan(limits.ofList);
    expect([...clients].filter(({ bytes }) => bytes > 0)).toHaveLength(i + 1);
    if (i === 0) client.close();
  }
  clock.advance(limits.maxWaitMs);
  const ends = await Promise.allSettled(lists.values());
  expect(ends).toHaveLength(4);
  for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { code: 429 } });
  for (const client of clients) client.close();
  expect(room.inUse).toBe(0);
});

test('a list without limit that grows beyond what any may is refused', async () => {
  const room = new GrownRoom(new HandClock(), { ...limits, ofList: all / 2 });
  const client = new Client();
  converted = 0;
  await expect(listObjects(storage, scopeOfThings(client), everything, room)).rejects.toMatchObject({
    code: 413,
  });
  expect(converted).toBeLessThan(0.75 * count);
  client.close();
  expect(room.inUse).toBe(0);
});

test('of watches whose clients do not read, only so many hold what they grew by', async () => {
  const places = 3;
  const total = places * growthOfWatch;
  const room = new GrownRoom(new HandClock(), { ...limits, total, perFlow: total });
  const reads = Promise.withResolvers<undefined>();
  const begun = Promise.withResolvers<undefined>();
  let shown = 0;
  let unread = 0;
  const sink = {
    onItems: (items: readonly WatchItem[]) => {
      shown += items.length;
    },
    ready: async () => {
      unread += 1;
      if (unread === places) begun.resolve(undefined);
      expect(unread).toBeLessThanOrEqual(places);
      await reads.promise;
      unread -= 1;
    },
  };
  const clients = Array.from({ length: 6 }, () => new Client());
  const watches = clients.map((client) => watched(scopeOfThings(client), sink, room));
  await begun.promise;
  expect(room.inUse).toBe(total);
  reads.resolve(undefined);
  await Promise.all(watches);
  expect(shown).toBe(6 * count);
  expect(room.inUse).toBe(0);
});

test('what is asked for as it is stored is not converted', async () => {
  converted = 0;
  const list = await listObjects(storage, scopeOfThings(), { ...everything, asStored: true });
  expect([...list.entries]).toEqual(entries);
  expect(converted).toBe(0);
  const labelSelector = '!none';
  const selected = await listObjects(storage, scopeOfThings(), {
    ...everything,
    asStored: true,
    labelSelector,
  });
  expect([...selected.entries]).toEqual(entries);
  expect(converted).toBe(count);
});
