/** Metrics of the process itself: CPU, memory, event loop. */
import { collectDefaultMetrics, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { labelsText, type Aggregator, type FamilySnapshot, type SeriesSnapshot } from './metric-snapshot.ts';

let registry: Registry | undefined;

/**
 * Begins to observe this thread, once for all that print it: each set of families observes the garbage collector and the
 * event loop until the process ends, so that a set for each replica would keep all of them in memory.
 */
export function observeProcess(): Registry {
  if (!registry) collectDefaultMetrics({ register: (registry = new Registry()) });
  return registry;
}

/** What was observed of this thread. */
export async function processFamilies(): Promise<readonly FamilySnapshot[]> {
  return (await observeProcess().getMetricsAsJSON()).map(familyOf);
}

type Collected = MetricObjectWithValues<MetricValue<string>> & { readonly name: string };
type Value = MetricValue<string> & { readonly metricName?: string };

function familyOf({ name, help, type, aggregator, values }: Collected): FamilySnapshot {
  // The library types it as a number, but it is the word of the text format.
  const head = { name, help, type: String(type), aggregator: aggregatorOf(aggregator) };
  if (head.type === 'histogram') return { ...head, ...histogramOf(values) };
  return { ...head, series: values.map(({ labels, value }) => plain(labelsText(given(labels)), value)) };
}

/** The library omits the start time; that of the oldest process is used. */
function aggregatorOf(aggregator: string): Aggregator {
  return aggregator === 'omit' ? 'min' : (aggregator as Aggregator);
}

function plain(labels: string, value: number): SeriesSnapshot {
  return { labels, counts: [value], sum: 0 };
}

/** The library gives running totals by bucket, each with a label `le`. */
function histogramOf(values: readonly Value[]): Pick<FamilySnapshot, 'bounds' | 'series'> {
  const bounds = new Set<number>();
  const found = new Map<string, { labels: string; counts: number[]; sum: number; total: number }>();
  for (const { labels, value, metricName = '' } of values) {
    const { le, ...others } = given(labels);
    const text = labelsText(others);
    const series = found.get(text) ?? { labels: text, counts: [], sum: 0, total: 0 };
    found.set(text, series);
    if (metricName.endsWith('_sum')) series.sum = value;
    if (le === undefined) continue;
    if (Number.isFinite(Number(le))) bounds.add(Number(le));
    series.counts.push(value - series.total);
    series.total = value;
  }
  return { bounds: [...bounds], series: [...found.values()] };
}

function given(labels: Partial<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | number
  >;
}
