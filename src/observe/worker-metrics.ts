/** Metrics of what a supervisor knows: its workers, itself, and the files it reads again. */
import type { NumberFamily } from './metric-series.ts';
import type { NumberRegistry } from './family-list.ts';

/** Registers the count of files read again, which every service has. */
export function createFileReloads(metrics: NumberRegistry): NumberFamily {
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
export function createWorkerMetrics(metrics: NumberRegistry): WorkerMetrics {
  const labels = ['worker'];
  return {
    up: metrics.gauge({
      name: 'apiserver_worker_up',
      help: 'By worker (serving process): 1 while it serves, 0 while it is started.',
      labels,
    }),
    requests: metrics.counter({
      name: 'apiserver_worker_request_total',
      help: 'By worker: requests that it answered since its start.',
      labels,
    }),
    restarts: metrics.counter({
      name: 'apiserver_worker_restarts_total',
      help: 'By worker and reason (out_of_memory, signal, exit): processes that ended by themselves and were started again.',
      labels: ['worker', 'reason'],
    }),
    missedScrapes: metrics.counter({
      name: 'apiserver_worker_missed_scrapes_total',
      help: 'By worker: scrapes for which it did not tell its metrics in time.',
      labels,
    }),
  };
}

/** Registers what a supervisor takes itself, under the names that its workers use for theirs; call it to measure. */
export function createProcessUsage(metrics: NumberRegistry): () => void {
  const resident = metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
  });
  const cpu = metrics.counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
  });
  return () => {
    const { user, system } = process.cpuUsage();
    cpu.series().set((user + system) / 1e6);
    resident.series().set(process.memoryUsage.rss());
  };
}
