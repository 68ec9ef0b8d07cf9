/** What series take of the memory: thousands of resources have tens of thousands of them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HistogramFamily } from '../../../src/observe/metric-series.ts';
import { Metrics } from '../../../src/observe/metrics.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const bounds = Array.from({ length: 40 }, (_unused, i) => i);
const labelNames = ['verb', 'resource'];
const family = (name: string): HistogramFamily =>
  new HistogramFamily({ name, help: 'Times.', labelNames, bounds });
const count = 10_000;
const resource = (i: number): string => `${'long'.repeat(20)}${String(i)}`;

test('a series takes what the buckets with values need', () => {
  const times = family('times');
  const before = heldBytes();
  for (let i = 0; i < count; i += 1) times.series({ verb: 'GET', resource: resource(i) }).observe(0);
  // Two texts of about 110 bytes, a few objects; 41 numbers would be 328 bytes more.
  expect((heldBytes() - before) / count).toBeLessThan(550);
  expect([...times.scrape().series]).toHaveLength(count);
});

test('families that begin series of the same labels one after the other have their texts once', () => {
  const all = Array.from({ length: 8 }, (_unused, i) => family(String(i)));
  const before = heldBytes();
  for (let i = 0; i < count; i += 1)
    for (const one of all) one.series({ verb: 'GET', resource: resource(i) }).observe(0);
  // 250 bytes of texts for each series more where each has its own.
  expect((heldBytes() - before) / count / all.length).toBeLessThan(400);
});

test('values come into their buckets in any order', () => {
  const series = family('times').series({ verb: 'GET', resource: 'pods' });
  for (const value of [2, 0.5, 100, 2]) series.observe(value);
  const expected = new Array<number>(41).fill(0);
  [expected[2], expected[1], expected[40]] = [2, 1, 1];
  expect([series.counts, series.sum]).toEqual([expected, 104.5]);
});

test('a histogram that the release does not show keeps no series of labels', async () => {
  const metrics = new Metrics({ release: { major: 1, minor: 21 } });
  const parts = { name: 'later', help: 'Later.', labels: ['resource'] };
  const later = metrics.histogram({ ...parts, life: 'ALPHA 1.26' });
  later.series({ resource: 'a' }).observe(1);
  expect(later.series({ resource: 'b' })).toBe(later.series({ resource: 'a' }));
  const otherNames = [{ name: 'former', life: 'ALPHA 1.20' }];
  const renamed = metrics.histogram({ ...parts, life: 'ALPHA 1.26', otherNames });
  renamed.series({ resource: 'b' }).observe(1);
  const text = await metrics.text();
  expect(text).toContain('former_count{resource="b"} 1');
  expect(text).not.toContain('later');
});
