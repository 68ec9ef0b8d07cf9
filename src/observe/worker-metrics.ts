/** Metrics of the supervisor: its workers, itself, and reloaded files. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { NumberFamily } from './metric-series.ts';
import type { NumberRegistry } from './family-list.ts';

export interface FileReloads {
  /** @param at when it was, in milliseconds since 1970 */
  note(flag: string, result: 'success' | 'failure', at: number): void;
  /** The file of a flag with these contents is in use; of others than the two configurations nothing is told. */
  use(flag: string, contents: Buffer): void;
}

/** Registers the metrics of reloaded files. */
export function createFileReloads(metrics: NumberRegistry): FileReloads {
  const all = metrics.counter({
    name: 'apiserver_file_reloads_total',
    help: 'Reloads of changed files, by flag and result (success, failure).',
    labels: ['flag', 'result'],
  });
  const configurations = new Map([
    ['authentication-config', createConfigReloads(metrics, 'authentication')],
    ['authorization-config', createConfigReloads(metrics, 'authorization')],
  ]);
  const apiserver_id_hash = hashOf(hostname());
  return {
    note: (flag, result, at) => {
      all.series({ flag, result }).add();
      const reloads = configurations.get(flag);
      reloads?.total.series({ status: result, apiserver_id_hash }).add();
      reloads?.last.series({ status: result, apiserver_id_hash }).set(at / 1000);
    },
    use: (flag, contents) => {
      const reloads = configurations.get(flag);
      if (!reloads) return;
      if (reloads.hash !== '') reloads.info.forget({ apiserver_id_hash, hash: reloads.hash });
      reloads.hash = hashOf(contents);
      reloads.info.series({ apiserver_id_hash, hash: reloads.hash }).set(1);
    },
  };
}

function hashOf(data: string | Buffer): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

function createConfigReloads(metrics: NumberRegistry, what: 'authentication' | 'authorization') {
  const labels = ['status', 'apiserver_id_hash'];
  return {
    hash: '',
    info: metrics.gauge({
      name: `apiserver_${what}_config_controller_last_config_info`,
      help: `The ${what} configuration in use, by the hash of its file.`,
      labels: ['apiserver_id_hash', 'hash'],
    }),
    total: metrics.counter({
      name: `apiserver_${what}_config_controller_automatic_reloads_total`,
      help: `Reloads of the ${what} configuration, by status (success, failure).`,
      labels,
    }),
    last: metrics.gauge({
      name: `apiserver_${what}_config_controller_automatic_reload_last_timestamp_seconds`,
      help: `When the ${what} configuration was last reloaded, by status (success, failure).`,
      labels,
    }),
  };
}

export interface WorkerMetrics {
  readonly up: NumberFamily;
  readonly requests: NumberFamily;
  readonly restarts: NumberFamily;
  readonly missedScrapes: NumberFamily;
}

/** Registers the metrics of workers. */
export function createWorkerMetrics(metrics: NumberRegistry): WorkerMetrics {
  const labels = ['worker'];
  return {
    up: metrics.gauge({
      name: 'apiserver_worker_up',
      help: '1 if the worker (serving process) serves, 0 while it starts.',
      labels,
    }),
    requests: metrics.counter({
      name: 'apiserver_worker_request_total',
      help: 'Requests served by the worker since its start.',
      labels,
    }),
    restarts: metrics.counter({
      name: 'apiserver_worker_restarts_total',
      help: 'Restarts of workers that ended unexpectedly, by reason (out_of_memory, signal, exit).',
      labels: ['worker', 'reason'],
    }),
    missedScrapes: metrics.counter({
      name: 'apiserver_worker_missed_scrapes_total',
      help: 'Scrapes for which the worker did not report its metrics in time.',
      labels,
    }),
  };
}

/** Registers the resource usage of the supervisor, with the same names as in workers; call the result to measure. */
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
