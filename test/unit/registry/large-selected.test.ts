/** Large objects that are selected by a field: they are parsed for it, in many turns. */
import { performance } from 'node:perf_hooks';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { RequestScope, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const resource = realCatalogue(namingProfiles.orch).catalogue.resource('', 'v1', 'pods');
const query = {
  resourceVersion: '',
  resourceVersionMatch: '',
  fieldSelector: 'spec.nodeName=n',
  labelSelector: '',
};

/** Pods on two nodes whose texts take tens of milliseconds to parse. */
function pods(): Entry[] {
  return ['n', 'm'].map((nodeName) => {
    const text = `{"metadata":{"name":"${nodeName}"},"spec":{"nodeName":"${nodeName}","x":[${'{},'.repeat(500_000)}0]}}`;
    const key = `x/${nodeName}`;
    return { collection: 'core/pods', key, modRevision: 1, bytes: Buffer.from(text), memo: undefined };
  });
}

function snapshotOf(all: readonly Entry[]): CollectionSnapshot {
  return { revision: 1, entries: () => all, having: () => undefined } as unknown as CollectionSnapshot;
}

function scope(): RequestScope {
  const { signal } = new AbortController();
  return { resource, namespace: 'x', signal, user: { name: 'ann' } } as unknown as RequestScope;
}

async function keysOfList(all: readonly Entry[]): Promise<string[]> {
  const storage: Partial<Storage> = { snapshot: () => Promise.resolve(snapshotOf(all)) };
  const { entries } = await listObjects(storage as Storage, scope(), { ...query, continue: '', limit: 0 });
  return Array.from(entries, ({ key }) => key);
}

async function keysOfWatch(all: readonly Entry[]): Promise<string[]> {
  const storage: Partial<Storage> = {
    watch: (_options, subscriber) => {
      subscriber.onEstablished();
      subscriber.onInitial(snapshotOf(all));
      return { close: () => undefined };
    },
  };
  const keys: string[] = [];
  const state = Promise.withResolvers<undefined>();
  const sink: WatchSink = {
    onItems: (items) => keys.push(...items.map(({ event }) => event.key)),
    onBookmark: () => state.resolve(undefined),
    onError: (error: unknown) => state.reject(error),
    ready: () => Promise.resolve(),
  };
  const asked = { ...query, name: '', allowWatchBookmarks: false } as unknown as WatchQuery;
  await watchObjects(storage as Storage, scope(), { query: asked, streaming: 'unknown' }, sink);
  await state.promise;
  return keys;
}

test.each([keysOfList, keysOfWatch])('%o', async (keysOf) => {
  const all = pods();
  const turns = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;
  const before = turns();
  // What one has read, others that begin meanwhile share.
  expect(await Promise.all([keysOf(all), keysOf(all)])).toEqual([['x/n'], ['x/n']]);
  // A slice takes three milliseconds, to parse both tens of them.
  expect(turns() - before).toBeGreaterThan(10);
});
