/** Objects with very many owners or dependents: the graph takes them in without holding the thread. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { createGarbageCollector } from '../../../src/controllers/garbage-collector/garbage-collector.ts';
import { GraphBuilder } from '../../../src/controllers/garbage-collector/graph-builder.ts';
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
