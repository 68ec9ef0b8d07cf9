/** Figures of thousands of collections, as definitions make them. */
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import type { ResourceCatalogue } from '../../../src/registry/types.ts';
import { CollectionSeries } from '../../../src/server/collection-series.ts';
import type { CollectionId } from '../../../src/storage/types.ts';
import { countedTurns } from '../../support/counted-turns.ts';

const turns = countedTurns();
const count = 5_000;
/** As long as it takes to look at one collection, and what follows from it. */
const msOfOne = 0.02;

/** A catalogue that serves these collections of a group, and nothing else. */
function serving(plurals: readonly string[]): ResourceCatalogue {
  const resources = plurals.map((plural) => ({ storage: { collection: `example.com/${plural}` } }));
  return {
    groups: () => [{ group: 'example.com', versions: [{ resources }] }],
  } as unknown as ResourceCatalogue;
}

test('their objects are counted in slices', async () => {
  const plurals = Array.from({ length: count }, (_, i) => `things${String(i)}`);
  const catalogue = serving(plurals);
  const objectCounts = function* (): Generator<readonly [CollectionId, number]> {
    for (const [i, plural] of plurals.entries()) {
      turns.step(msOfOne);
      yield [`example.com/${plural}`, i];
    }
  };
  const metrics = new Metrics();
  new CollectionSeries(createServerMetrics(metrics)).countObjects({ objectCounts }, () => catalogue);
  const text = await metrics.text();
  for (const i of [0, 1, count - 1])
    expect(text).toContain(
      `apiserver_storage_objects{resource="things${String(i)}.example.com"} ${String(i)}`,
    );
  expect(turns.most()).toBeLessThan(count / 8);
});

test('a collection that goes while they are counted has no series', async () => {
  const plurals = Array.from({ length: 1_000 }, (_, i) => `things${String(i)}`);
  let catalogue = serving(plurals);
  const metrics = new Metrics();
  const series = new CollectionSeries(createServerMetrics(metrics));
  const objectCounts = function* (): Generator<readonly [CollectionId, number]> {
    for (const [i, plural] of plurals.entries()) {
      if (i === 500) {
        catalogue = serving(plurals.slice(0, 999));
        series.forget(new Set(['example.com/v1/things999']), catalogue);
      }
      yield [`example.com/${plural}`, 0];
    }
  };
  series.countObjects({ objectCounts }, () => catalogue);
  const text = await metrics.text();
  expect(text).toContain('resource="things998.example.com"} 0');
  expect(text).not.toContain('things999');
});
