/** Metrics as text, sent in parts and added up; the library of Prometheus' clients is the oracle of the text. */
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  countedOf,
  joinSnapshots,
  partsOf,
  printed,
  type MetricSnapshot,
} from '../../../src/observe/metric-snapshot.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { cpuBudget, cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const bounds = [0.1, 1, 10];
const text = (snapshot: MetricSnapshot): string => [...printed(snapshot)].join('');
/** As it arrives in another process. */
const received = (snapshot: MetricSnapshot): MetricSnapshot => structuredClone([...partsOf(snapshot)]).flat();

const label = fc.oneof(fc.string(), fc.constantFrom('a"b', String.raw`a\b`, 'a\nb', ''));
const value = fc.oneof(fc.nat(), fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
const seen = fc.array(fc.record({ a: label, b: label, value, isTimed: fc.boolean() }), { maxLength: 20 });
interface Seen {
  readonly a: string;
  readonly b: string;
  readonly value: number;
  readonly isTimed: boolean;
}

function counted(values: readonly Seen[]): Metrics {
  const metrics = new Metrics();
  const labels = ['a', 'b'];
  const total = metrics.counter({ name: 'x_total', help: 'With "quotes" and \\.', labels });
  const last = metrics.gauge({ name: 'last', help: 'Last.', labels, aggregator: 'max' });
  const times = metrics.histogram({ name: 'times', help: 'Times.', labels, bounds });
  for (const { a, b, value, isTimed } of values) {
    if (isTimed) times.series({ a, b }).observe(value);
    else total.series({ a, b }).add(Math.abs(value));
    last.series({ a, b }).set(value);
  }
  return metrics;
}

function countedByLibrary(values: readonly Seen[]): Registry {
  const registry = new Registry();
  const more = { labelNames: ['a', 'b'], registers: [registry] };
  const total = new Counter({ name: 'x_total', help: '[ALPHA] With "quotes" and \\.', ...more });
  const last = new Gauge({ name: 'last', help: '[ALPHA] Last.', ...more });
  const times = new Histogram({ name: 'times', help: '[ALPHA] Times.', buckets: bounds, ...more });
  for (const { a, b, value, isTimed } of values) {
    if (isTimed) times.observe({ a, b }, value);
    else total.inc({ a, b }, Math.abs(value));
    last.set({ a, b }, value);
  }
  return registry;
}

/** The order of labels and of lines means nothing. */
function lines(of: string): string[] {
  const sorted = (inner: string): string =>
    inner
      .match(/\w+="(?:[^"\\]|\\.)*"/gs)
      ?.sort()
      .join() ?? '';
  return of
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/s, (_all, inner: string) => `{${sorted(inner)}}`))
    .sort();
}

test('the text is that of the library', async () => {
  await fc.assert(
    fc.asyncProperty(seen, async (values) => {
      expect(lines(await counted(values).text())).toEqual(lines(await countedByLibrary(values).metrics()));
    }),
  );
});

test('values without end are those of the format', () => {
  const family = { name: 'x', help: '', type: 'gauge', aggregator: 'sum' } as const;
  const series = [Infinity, -Infinity, NaN].map((value, i) => ({
    labels: `i="${i}"`,
    counts: [value],
    sum: 0,
  }));
  expect(text([{ ...family, series }])).toContain('x{i="0"} +Inf\nx{i="1"} -Inf\nx{i="2"} NaN\n');
});

test('what arrives in parts is what was sent', async () => {
  await fc.assert(
    fc.asyncProperty(seen, async (values) => {
      const snapshot = await counted(values).snapshot();
      expect(text(await joinSnapshots(received(snapshot)))).toBe(text(snapshot));
    }),
  );
});

test('added up are counters and histograms, of gauges the rule of the family counts', async () => {
  await fc.assert(
    fc.asyncProperty(seen, seen, async (one, two) => {
      const finite = [one, two].map((all) =>
        all.map((each) => ({ ...each, value: Math.trunc(each.value) % 1000 || 0 })),
      );
      const [first = [], second = []] = finite;
      const both = [...(await counted(first).snapshot()), ...received(await counted(second).snapshot())];
      const together = await counted([...first, ...second]).snapshot();
      expect(lines(text(countedOf(await joinSnapshots(both))))).toEqual(lines(text(countedOf(together))));
    }),
  );
});

test('averages, least and first values of several processes', async () => {
  const of = (value: number): MetricSnapshot =>
    (['average', 'min', 'first', 'max', 'sum'] as const).map((aggregator) => ({
      ...{ name: aggregator, help: '', type: 'gauge', aggregator },
      series: [{ labels: '', counts: [value], sum: 0 }],
    }));
  const joined = text(await joinSnapshots([...of(4), ...of(1), ...of(7)]));
  expect(joined.match(/^[a-z]+ \d+$/gm)).toEqual(['average 4', 'min 1', 'first 4', 'max 7', 'sum 12']);
});

describe('with thousands of resources', () => {
  const many = new Metrics();
  for (const name of ['one', 'two', 'three']) {
    const family = many.histogram({ name, help: 'Long.', labels: ['resource', 'verb'] });
    for (let i = 0; i < 10_000; i += 1)
      family.series({ resource: `things${String(i)}`, verb: 'GET' }).observe(1);
  }

  test('no piece of the text takes long', async () => {
    const worst = async (): Promise<number> => {
      const pieces = (await many.pieces())[Symbol.iterator]();
      let longest = 0;
      for (let isOver = false; !isOver;)
        longest = Math.max(
          longest,
          cpuMsOf(() => (isOver = pieces.next().done === true)),
        );
      return longest;
    };
    expect(await leastOfThree(worst)).toBeLessThan(cpuBudget(10));
  });

  test('no part takes long, and neither does adding up', async () => {
    const worst = async (): Promise<number> => {
      const parts: MetricSnapshot[] = [];
      let longest = 0;
      const taken = partsOf(await many.snapshot())[Symbol.iterator]();
      const take = (): void => {
        const next = taken.next();
        if (next.done !== true) parts.push(structuredClone(next.value));
        else isOver = true;
      };
      let isOver = false;
      while (!isOver) longest = Math.max(longest, cpuMsOf(take));
      const snapshot = [...parts.flat(), ...(await many.snapshot())];
      const [longestTurn = 0] = await turnsOf(() => joinSnapshots(snapshot));
      return Math.max(longest, longestTurn);
    };
    expect(await leastOfThree(worst)).toBeLessThan(cpuBudget(20));
  }, 30_000);
});
