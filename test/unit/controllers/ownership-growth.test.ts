/** Objects with very many owners or dependents: the graph takes them in without holding the thread. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createGarbageCollector } from '../../../src/controllers/garbage-collector/garbage-collector.ts';
import { GraphBuilder } from '../../../src/controllers/garbage-collector/graph-builder.ts';
import type { Uids } from '../../../src/controllers/reflector.ts';
import type { MetadataEvent } from '../../../src/controllers/types.ts';
import { noControllerMetrics } from '../../support/controller-metrics.ts';
import { leastShare } from '../../support/cpu-time.ts';
import { FakeApiClient, ownerOf, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = resourceRef('Map');
const ignore = (): void => undefined;

function withOwners(uid: string, owners: number): MetadataEvent {
  const common = { apiVersion: 'v1', kind: 'Map', blockOwnerDeletion: true };
  const ownerReferences = Array.from({ length: owners }, (_, i) => {
    const name = `owner-${String(i)}`;
    return { ...common, name, uid: name };
  });
  const metadata = { uid, name: uid, namespace: 'a', ownerReferences };
  return { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Map', metadata } };
}

test('twice as many owners of an object take about twice as long', async () => {
  const takeIn = (owners: number): void => {
    const builder = new GraphBuilder({
      attemptToDelete: ignore,
      attemptToDeleteAll: ignore,
      attemptToOrphan: ignore,
    });
    builder.apply(maps, withOwners('x', owners));
    builder.apply(maps, { ...withOwners('x', owners), type: 'MODIFIED' });
  };
  takeIn(1_000);
  // 10,000 owners are 900 KB of an object; a graph that compares each with each needs 700 ms.
  expect(await leastShare(60, () => takeIn(10_000))).toBeLessThan(1);
});

test('an owner that is named in thousands of versions is looked at once', async () => {
  const { object } = withOwners('x', 3_000);
  const { metadata } = object;
  const ownerReferences = (metadata.ownerReferences ?? []).map((owner, i) => ({
    ...owner,
    ...{ apiVersion: `v${String(i)}`, name: 'owner', uid: 'owner' },
  }));
  const named = { type: 'ADDED', object: { ...object, metadata: { ...metadata, ownerReferences } } } as const;
  const takeIn = (): void => {
    const builder = new GraphBuilder({
      attemptToDelete: ignore,
      attemptToDeleteAll: ignore,
      attemptToOrphan: ignore,
    });
    builder.apply(maps, withOwners('owner', 0));
    builder.apply(maps, named);
    builder.apply(maps, { ...named, type: 'MODIFIED' });
    expect(builder.graph.get('owner')?.dependents.size).toBe(1);
  };
  takeIn();
  // Each of its references with each of them takes two seconds.
  expect(await leastShare(100, takeIn)).toBeLessThan(1);
});

test('thousands of absent owners of an object have no nodes, and one decision', () => {
  const looked: string[] = [];
  const builder = new GraphBuilder({
    attemptToDelete: ({ uid }) => looked.push(uid),
    attemptToDeleteAll: ignore,
    attemptToOrphan: ignore,
  });
  builder.apply(maps, withOwners('owner-7', 0));
  builder.apply(maps, withOwners('x', 5_000));
  builder.apply(maps, { ...withOwners('x', 5_000), type: 'MODIFIED' });
  expect(Array.from(builder.graph.all(), ({ uid }) => uid).sort()).toEqual(['owner-7', 'x']);
  expect(looked).toEqual(['x']);
  expect(Array.from(builder.graph.get('owner-7')?.dependents ?? [], ({ uid }) => uid)).toEqual(['x']);
});

test('the end of an owner of a hundred thousand is taken note of in a short turn', async () => {
  const api = new FakeApiClient([maps]);
  for (let i = 0; i < 100_000; i += 1)
    api.put(maps, 'a', `dependent-${String(i)}`, { ownerReferences: [ownerOf(maps, 'owner')] });
  const stop = new AbortController();
  const log = { info: ignore, warn: ignore, error: ignore };
  const common = { ...systemEnvironment, client: api, log, metrics: noControllerMetrics };
  const running = createGarbageCollector({ ...common, ignored: new Set() }).run(stop.signal);
  await waitFor('the collector to watch', () => api.isWatched(maps));
  const share = await leastShare(12, () => {
    api.put(maps, 'a', 'owner', {});
    api.remove(maps, 'a', 'owner');
  });
  expect(share).toBeLessThan(1);
  stop.abort();
  await running;
});

test.each([
  ['many, of which those that own nothing go together', 2_000],
  ['few, which go one by one', 20],
])('what a later list lacks is gone: %s', async (_name, lone) => {
  const looked: string[] = [];
  const builder = new GraphBuilder({
    attemptToDelete: ({ uid }) => looked.push(uid),
    attemptToDeleteAll: (nodes) => looked.push(...nodes.map(({ uid }) => uid)),
    attemptToOrphan: ignore,
  });
  const others = resourceRef('Other');
  const put = (resource: typeof maps, uid: string, ...owners: string[]): void => {
    const ownerReferences = owners.map((owner) => ({ ...ownerOf(maps, owner), uid: owner }));
    const metadata = { uid, name: uid, namespace: 'a', ownerReferences };
    builder.apply(resource, { type: 'ADDED', object: { apiVersion: 'v1', kind: resource.kind, metadata } });
  };
  for (let i = 0; i < lone; i += 1) put(maps, `lone-${String(i)}`);
  put(maps, 'owner');
  put(others, 'dependent', 'owner');
  put(others, 'lone-other');
  put(others, 'waits', 'never-seen');
  looked.length = 0;
  const left = (): string[] => Array.from(builder.graph.all(), ({ uid }) => uid).sort();
  await builder.unlisted(maps, new Set(['lone-7']), AbortSignal.abort());
  expect(builder.graph.countOf(maps)).toBe(lone + 1);
  await builder.unlisted(maps, new Set(['lone-7']), new AbortController().signal);
  expect(left()).toEqual(['dependent', 'lone-7', 'lone-other', 'never-seen', 'waits']);
  expect(looked).toEqual(['dependent']);
  expect([maps, others].map((resource) => builder.graph.countOf(resource))).toEqual([1, 3]);
  await builder.unlisted(maps, new Set(), new AbortController().signal);
  expect(left()).toEqual(['dependent', 'lone-other', 'never-seen', 'waits']);
  expect(builder.graph.countOf(maps)).toBe(0);
  expect(builder.graph.virtualNodes().map(({ uid }) => uid)).toEqual(['never-seen']);
});

/** UIDs of a list that count how often they are looked up. */
function countedUids(uids: ReadonlySet<string>): { readonly uids: Uids; readonly looks: () => number } {
  let looks = 0;
  const has = (uid: string): boolean => {
    looks += 1;
    return uids.has(uid);
  };
  return { uids: { has, keys: () => uids.keys(), size: uids.size }, looks: () => looks };
}

test('a list that lacks most of a resource takes the time of what it has', async () => {
  const builder = new GraphBuilder({
    attemptToDelete: ignore,
    attemptToDeleteAll: ignore,
    attemptToOrphan: ignore,
  });
  for (let i = 0; i < 10_000; i += 1) builder.apply(maps, withOwners(`map-${String(i)}`, 0));
  const { uids, looks } = countedUids(new Set(['map-7', 'map-8']));
  await builder.unlisted(maps, uids, new AbortController().signal);
  expect(looks()).toBe(0);
  expect(Array.from(builder.graph.all(), ({ uid }) => uid).sort()).toEqual(['map-7', 'map-8']);
});

test('what went with very many others is forgotten as others come, and may come again', async () => {
  const builder = new GraphBuilder({
    attemptToDelete: ignore,
    attemptToDeleteAll: ignore,
    attemptToOrphan: ignore,
  });
  const { graph } = builder;
  const count = 4_000;
  const put = (uid: string, owners = 0): void => builder.apply(maps, withOwners(uid, owners));
  for (let i = 0; i < count; i += 1) put(`map-${String(i)}`);
  await builder.unlisted(maps, new Set(), new AbortController().signal);
  for (let i = 0; i < count; i += 2) put(`map-${String(i)}`);
  expect([graph.countOf(maps), graph.get('map-7'), graph.get('map-8')?.uid]).toEqual([
    count / 2,
    undefined,
    'map-8',
  ]);
  // None that is gone has a node by now.
  expect(graph.size).toBe(count / 2);
  await builder.unlisted(maps, new Set(['map-8']), new AbortController().signal);
  put('owner-0', 1);
  expect(Array.from(graph.all(), ({ uid }) => uid)).toEqual(['map-8', 'owner-0']);
});

test('what a resource had in its former version is taken out in slices, and stays once another one is followed', async () => {
  const builder = new GraphBuilder({
    attemptToDelete: ignore,
    attemptToDeleteAll: ignore,
    attemptToOrphan: ignore,
  });
  const count = 300_000;
  for (let i = 0; i < count; i += 1) builder.apply(maps, withOwners(`map-${String(i)}`, 0));
  const next = { ...maps, version: 'v2' };
  builder.apply(next, withOwners('kept', 0));
  const stop = new AbortController();
  const cut = builder.relisted(next, stop.signal);
  stop.abort();
  await cut;
  const left = builder.graph.size;
  expect(left).toBeGreaterThan(1);
  expect(left).toBeLessThan(count + 1);
  await builder.relisted(next, new AbortController().signal);
  expect(Array.from(builder.graph.all(), ({ uid }) => uid)).toEqual(['kept']);
});
