/**
 * The serving threads of this process. Each is a replica that listens by itself at the same port (SO_REUSEPORT) and is
 * fed with the state by the storages of this thread, which follows etcd, runs controllers and holds leases.
 *
 *   this thread ─┬─ follows etcd ─▶ storage ═ feeds ═▶ serving thread 1 … N: view, HTTP, its own connection to etcd for writes
 *                └─ controllers, leases, services
 */
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { aborted } from '../base/pause.ts';
import { systemRandom } from '../base/random.ts';
import { clearRow, countsMemory } from '../base/shared-counts.ts';
import { FamilyList } from '../observe/family-list.ts';
import type { Logger, LogFormat, LogLevel } from '../observe/log.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import { createWorkerMetrics, type WorkerMetrics } from '../observe/worker-metrics.ts';
import { ListenOrder } from './listen-order.ts';
import { SharedMetrics } from './shared-metrics.ts';
import { ThreadSlot } from './thread-slot.ts';
import type { ServeTask, ToWorker } from './worker-messages.ts';

export interface ThreadPoolOptions {
  /** What the threads run. */
  readonly program: string;
  readonly count: number;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** File descriptor of the log of this process. */
  readonly logFd: number;
  readonly stopMs: number;
  /**
   * The task of the next thread, which listens while it gets the state or only then; `replace` ends it, so that another
   * takes its place.
   */
  readonly task: (
    listensEarly: boolean,
    replace: () => void,
  ) => ServeTask & { readonly feeds: readonly MessagePort[] };
  /** The metrics of this thread, and of processes around it. */
  readonly metrics: () => Promise<MetricSnapshot>;
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #slots = new Map<string, ThreadSlot>();
  readonly #metrics: SharedMetrics;
  readonly #workerMetrics: WorkerMetrics;
  /** What the threads count together. */
  readonly #counts: SharedArrayBuffer;
  readonly #listening: ListenOrder;
  #own: MetricSnapshot = [];

  /** Starts the threads. */
  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#listening = new ListenOrder(systemClock, options.logger);
    this.#counts = countsMemory(options.count, systemRandom.bytes(8).readBigInt64LE());
    const list = new FamilyList();
    const snapshot = (): MetricSnapshot => [...this.#own, ...list.snapshot()];
    this.#workerMetrics = createWorkerMetrics(list);
    this.#metrics = new SharedMetrics({ snapshot }, this.#workerMetrics, this.#slots);
    for (let number = 1; number <= options.count; number += 1)
      this.#slots.set(nameOf(number), this.#slot(number));
  }

  /** Resolves when all serve. @throws StartError if one of them cannot start */
  async allUp(signal: AbortSignal): Promise<void> {
    await Promise.race([
      Promise.all([...this.#slots.values()].map(({ firstUp }) => firstUp)),
      aborted(signal),
    ]);
    signal.throwIfAborted();
  }

  broadcast(message: ToWorker): void {
    for (const slot of this.#slots.values()) slot.send(message);
  }

  /** Stops all threads gracefully. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()));
  }

  #slot(number: number): ThreadSlot {
    const { program, count, logger, logLevel, logFormat, logFd, stopMs } = this.#options;
    const worker = nameOf(number);
    const counts = { memory: this.#counts, row: number - 1 };
    const { up, restarts, missedScrapes } = this.#workerMetrics;
    for (const family of [up, missedScrapes]) family.series({ worker }).set(0);
    restarts.series({ worker, reason: 'exit' }).set(0);
    return new ThreadSlot({
      ...{ program, number, logger, stopMs },
      order: (replace) => {
        const task = { ...this.#options.task(this.#listening.begin(number), replace), countsAt: counts };
        return { order: { number, count, logLevel, logFormat, logFd, task }, ports: task.feeds };
      },
      scrape: async () => {
        this.#own = await this.#options.metrics();
        return this.#metrics.others(worker);
      },
      onLoaded: () => this.#listening.loaded(number),
      onUp: () => up.series({ worker }).set(1),
      onDown: () => {
        up.series({ worker }).set(0);
        clearRow(counts);
        this.#metrics.forget(worker);
      },
      onEnd: () => this.#listening.end(number),
      onReplace: () => restarts.series({ worker, reason: 'exit' }).add(),
    });
  }
}

/** In the label `worker` of metrics, beside the numbers of processes. */
function nameOf(number: number): string {
  return `thread-${String(number)}`;
}
