/** Metrics of what the first process of a service knows: its workers (`--workers`) and the files it reads again. */
import type { NumberFamily } from './cells.ts';
import type { Metrics } from './metrics.ts';

/** Registers the count of files read again, which every service has. */
export function createFileReloads(metrics: Metrics): NumberFamily {
  return metrics.counter({
    name: 'apiserver_file_reloads_total',
    help: 'Changed files that were read again, by flag and result (success, failure).',
    labels: ['flag', 'result'],
  });
}

export interface WorkerMetrics {
  readonly up: NumberFamily;
  readonly requests: NumberFamily;
  readonly restarts: NumberFamily;
  readonly missedScrapes: NumberFamily;
}

/** Registers the metrics of a process that has workers. */
export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const labels = ['worker'];
  return {
    up: metrics.gauge({
      name: 'apiserver_worker_up',
      help: 'With --workers: 1 while the worker serves, 0 while it is started.',
      labels,
    }),
    requests: metrics.counter({
      name: 'apiserver_worker_request_total',
      help: 'With --workers: requests that each worker answered since its start.',
      labels,
    }),
    restarts: metrics.counter({
      name: 'apiserver_worker_restarts_total',
      help: 'With --workers: workers that ended by themselves and were started again.',
      labels,
    }),
    missedScrapes: metrics.counter({
      name: 'apiserver_worker_missed_scrapes_total',
      help: 'With --workers: scrapes for which a worker did not tell its metrics in time.',
      labels,
    }),
  };
}
