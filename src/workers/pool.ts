/**
 * The supervisor process and its workers. A crash of a worker (a bug, out of memory, a signal) does not end the
 * service: the worker is replaced, while shared resources stay in the supervisor: the service's own etcd, the PKI,
 * the lock of the data folder, file watches. The supervisor loads little code and serves no requests, so it is
 * unlikely to crash.
 *
 *   npm start ─▶ supervisor ─┬─▶ worker 1 … N (--workers): each a whole replica with its own view of etcd and own health
 *                            └─▶ own etcd
 *
 * A single worker listens itself. Several workers share a port by round robin of node:cluster, as connections are
 * long-lived and an uneven distribution would persist. Of 400 new connections, one of two workers got 50 to 53 %, and
 * of the requests of 32 long-lived ones as much; with a shared socket the kernel favours an awake process: 63 and 37
 * %, and 39 and 61 %. The cost per connection is not measurable beside its handshake. A blocked worker gets only one
 * connection, as it does not confirm the first; when it is killed, that one is passed on (handed-connections.ts).
 * Controllers run in the worker that is the leader, as among replicas.
 */
import cluster from 'node:cluster';
import { systemClock } from '../base/clock.ts';
import { aborted } from '../base/pause.ts';
import { StartError } from '../base/start-error.ts';
import { FamilyList } from '../observe/family-list.ts';
import type { Logger, LogFormat, LogLevel } from '../observe/log.ts';
import {
  createFileReloads,
  createProcessUsage,
  createWorkerMetrics,
  type WorkerMetrics,
} from '../observe/worker-metrics.ts';
import type { Serving } from './serving.ts';
import { exitReasons } from './exit-reason.ts';
import {
  logFd,
  type ToWorker,
  type WorkerKind,
  type WorkerOrder,
  type WorkerTask,
} from './worker-messages.ts';
import { ListenOrder } from './listen-order.ts';
import { SharedMetrics } from './shared-metrics.ts';
import { workerFlags } from './worker-flags.ts';
import { WorkerSlot } from './worker-slot.ts';

export interface PoolOptions {
  /** Entry point of workers; it calls `runWorkerProcess`. */
  readonly program: string;
  readonly kind: WorkerKind;
  readonly count: number;
  readonly logger: Logger;
  /** Of the workers. */
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Timeout of a graceful stop. */
  readonly stopMs: number;
}

/** Creates the task of the next worker, which listens while it loads the state or only then. */
type MakeTask = (listensEarly: boolean) => WorkerTask;

export class WorkerPool {
  readonly fileReloads: Serving['fileReloads'];
  private readonly options: PoolOptions;
  private readonly slots = new Map<number, WorkerSlot>();
  private readonly workerMetrics: WorkerMetrics;
  private readonly metrics: SharedMetrics;
  private readonly listening: ListenOrder;
  private readonly begun = Promise.withResolvers<MakeTask>();
  /** Keeps the process alive during pauses between workers. */
  private readonly awake: NodeJS.Timeout;
  private served: number | undefined;

  /**
   * Starts the processes, which load their code and wait for `begin`.
   * @throws StartError if Node takes this process for a worker itself
   */
  constructor(options: PoolOptions) {
    if (!cluster.isPrimary) throw markedAsWorker();
    this.options = options;
    this.listening = new ListenOrder(systemClock, options.logger);
    this.awake = setInterval(() => undefined, 60_000);
    const own = new FamilyList();
    this.fileReloads = createFileReloads(own);
    this.workerMetrics = createWorkerMetrics(own);
    const measure = createProcessUsage(own);
    const snapshot: FamilyList['snapshot'] = () => {
      measure();
      return own.snapshot();
    };
    this.metrics = new SharedMetrics({ snapshot }, this.workerMetrics, this.slots);
    cluster.setupPrimary({
      exec: options.program,
      args: [options.kind],
      execArgv: workerFlags(process.execArgv, process.env['NODE_OPTIONS']),
      serialization: 'advanced',
      stdio: Object.assign(['ignore', 'inherit', 'pipe', 'ipc'], { [logFd]: process.stderr.fd }),
    });
    for (let number = 1; number <= options.count; number += 1) this.slots.set(number, this.slot(number));
    process.on('exit', this.kill);
  }

  /** The port of the first worker. */
  get port(): number | undefined {
    return this.served;
  }

  /** Whether any worker serves. */
  get isUp(): boolean {
    return [...this.slots.values()].some((slot) => slot.isUp);
  }

  /**
   * Starts the tasks. Resolves when all workers are ready.
   * @throws StartError if a worker cannot start
   */
  async begin(task: MakeTask, signal: AbortSignal): Promise<void> {
    this.begun.resolve(task);
    const allUp = Promise.all([...this.slots.values()].map((slot) => slot.firstUp));
    await Promise.race([allUp, aborted(signal)]);
    signal.throwIfAborted();
  }

  /** Sends a message to all workers. */
  broadcast(message: ToWorker): void {
    for (const slot of this.slots.values()) slot.send(message);
  }

  /** Stops all workers gracefully. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => slot.close()));
    process.off('exit', this.kill);
    clearInterval(this.awake);
  }

  /** Kills the workers when the process exits. */
  private readonly kill = (): void => {
    for (const slot of this.slots.values()) slot.kill();
  };

  private slot(number: number): WorkerSlot {
    const { logger, stopMs } = this.options;
    const worker = String(number);
    const { up, restarts, missedScrapes } = this.workerMetrics;
    for (const family of [up, missedScrapes]) family.series({ worker }).set(0);
    for (const reason of exitReasons) restarts.series({ worker, reason }).set(0);
    return new WorkerSlot({
      ...{ number, logger, stopMs },
      order: () => this.order(number),
      scrape: () => this.metrics.others(number),
      areOthersUp: () => [...this.slots].some(([other, slot]) => other !== number && slot.takesConnections),
      onLoaded: () => this.listening.loaded(number),
      onUp: (port) => {
        void this.listening.loaded(number);
        this.served ??= port;
        up.series({ worker }).set(1);
      },
      onDown: () => {
        up.series({ worker }).set(0);
        this.metrics.forget(number);
      },
      onEnd: () => this.listening.end(number),
      onRestart: (reason) => {
        restarts.series({ worker, reason }).add();
      },
    });
  }

  private async order(number: number): Promise<WorkerOrder> {
    const makeTask = await this.begun.promise;
    const { count, logLevel, logFormat } = this.options;
    return { number, count, logLevel, logFormat, task: makeTask(this.listening.begin(number)) };
  }
}

/** Node reads the variable before any program, and removes it. */
function markedAsWorker(): StartError {
  return StartError.of(
    'ENVIRONMENT_INVALID',
    'the variable NODE_UNIQUE_ID marks this process as a worker of another one, and a worker starts no workers',
    'unset NODE_UNIQUE_ID',
  );
}
