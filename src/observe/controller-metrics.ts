/** Metrics of controllers, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ControllerMetricFamilies {
  readonly queueDepth: NumberFamily;
  readonly workDuration: HistogramFamily;
  readonly retries: NumberFamily;
  readonly leading: NumberFamily;
}

/** Registers the metrics. */
export function createControllerMetrics(metrics: Metrics): ControllerMetricFamilies {
  const labels = ['name'];
  return {
    queueDepth: metrics.gauge({ name: 'workqueue_depth', help: 'Current depth of the work queue.', labels }),
    workDuration: metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'Time to process a key of the work queue, in seconds.',
      labels,
    }),
    retries: metrics.counter({
      name: 'workqueue_retries_total',
      help: 'Retries of failed keys of the work queue.',
      labels,
    }),
    leading: metrics.gauge({
      name: 'leader_election_master_status',
      help: '1 if this process is the leader, otherwise 0.',
      labels,
    }),
  };
}
