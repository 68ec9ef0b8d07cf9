/** The metrics of the controllers by their well-known names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ControllerMetricFamilies {
  readonly queueDepth: NumberFamily;
  readonly workDuration: HistogramFamily;
  readonly retries: NumberFamily;
  readonly leading: NumberFamily;
}

/** Registers them all. */
export function createControllerMetrics(metrics: Metrics): ControllerMetricFamilies {
  const labels = ['name'];
  return {
    queueDepth: metrics.gauge({ name: 'workqueue_depth', help: 'Keys that wait for a worker.', labels }),
    workDuration: metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'Time that the work on one key took.',
      labels,
    }),
    retries: metrics.counter({
      name: 'workqueue_retries_total',
      help: 'Work that failed and is tried again.',
      labels,
    }),
    leading: metrics.gauge({
      name: 'leader_election_master_status',
      help: '1 while this process holds the lease, 0 otherwise.',
      labels,
    }),
  };
}
