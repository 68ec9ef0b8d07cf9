/** Aggregates the metrics of several processes. */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { AggregatorRegistry } from 'prom-client';

/** The metrics of one process as plain data that can be sent between processes. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The content of `/metrics`. */
export interface MetricsText {
  /** The text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * Aggregates the snapshots of several processes. Counters and histograms are summed, gauges by the rule of their
 * family.
 */
export function joinSnapshots(snapshots: readonly MetricSnapshot[]): Promise<MetricSnapshot> {
  return joined(snapshots).getMetricsAsJSON();
}

/** The text of the aggregated snapshots. */
export function printSnapshots(snapshots: readonly MetricSnapshot[]): Promise<string> {
  return joined(snapshots).metrics();
}

/** The part that remains valid after the end of a process: counters and histograms. */
export function countedOf(snapshot: MetricSnapshot): MetricSnapshot {
  // The library types it as a number, but it is the word of the text format.
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

function joined(snapshots: readonly MetricSnapshot[]): ReturnType<typeof AggregatorRegistry.aggregate> {
  const included = snapshots.map((snapshot) => snapshot.map(copyOf));
  return AggregatorRegistry.aggregate(included);
}

/** The library omits the start time; that of the oldest process is used. */
function copyOf(metric: MetricSnapshot[number]): MetricSnapshot[number] {
  return metric.aggregator === 'omit' ? { ...metric, aggregator: 'min' } : metric;
}
