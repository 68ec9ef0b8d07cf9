/** Metrics of controllers, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ControllerMetricFamilies {
  readonly queueDepth: NumberFamily;
  readonly adds: NumberFamily;
  /** Time that keys wait. */
  readonly queueDuration: HistogramFamily;
  readonly workDuration: HistogramFamily;
  /** Of the keys that are worked on now. */
  readonly unfinishedWork: NumberFamily;
  readonly longestRunning: NumberFamily;
  readonly retries: NumberFamily;
  readonly leading: NumberFamily;
}

/** In seconds: from 10 ns to 10 s, as in kube-apiserver. */
const bounds = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10];

/** Registers the metrics. */
export function createControllerMetrics(metrics: Metrics): ControllerMetricFamilies {
  const labels = ['name'];
  const life = 'ALPHA 1.21, BETA 1.36';
  return {
    queueDepth: metrics.gauge({
      name: 'workqueue_depth',
      life,
      help: 'Current depth of the work queue.',
      labels,
    }),
    adds: metrics.counter({
      name: 'workqueue_adds_total',
      life,
      help: 'Keys that were added to the work queue.',
      labels,
    }),
    queueDuration: metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      life,
      help: 'Time that keys wait in the work queue, in seconds.',
      labels,
      bounds,
    }),
    workDuration: metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      life,
      help: 'Time to process a key of the work queue, in seconds.',
      labels,
      bounds,
    }),
    unfinishedWork: metrics.gauge({
      name: 'workqueue_unfinished_work_seconds',
      life,
      help: 'Time spent so far on keys in progress, in seconds; large values show work that hangs.',
      labels,
    }),
    longestRunning: metrics.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      life,
      help: 'Time since the longest work in progress began, in seconds.',
      labels,
      aggregator: 'max',
    }),
    retries: metrics.counter({
      name: 'workqueue_retries_total',
      life,
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
