/**
 * A supervisor: the process that its user starts, and its workers, which do the work. What ends a worker (a bug, memory
 * that runs out, a signal) does not end the service: another takes its place, while what there is once stays as it is in
 * this process: the own etcd, the PKI, the lock of the data folder, the files that are watched. It loads little, answers no
 * request, and so has little that could end it.
 *
 *   npm start ─▶ supervisor ─┬─▶ worker 1 … N (--workers): each a whole replica with its own view of etcd and own health
 *                            └─▶ own etcd
 *
 * A worker that is alone listens by itself. Several share one port: connections go round in turn (node:cluster's round
 * robin), for they live long, so that an uneven share lasts. Of 400 new connections two workers got 50 to 53 % and the rest,
 * and of the requests of 32 lasting ones as much; where both accept from one socket instead, the kernel favours whoever is
 * awake: 63 and 37 %, and 39 and 61 %. Handing on costs a new connection nothing that shows beside its handshake. A worker
 * that stands still gets one connection and no more, for it does not confirm the first; when it is ended, that one goes to
 * another (handed-connections.ts). Controllers run in whichever worker holds their lease, as among replicas.
 */
import cluster from 'node:cluster';
import { aborted } from '../base/pause.ts';
import { FamilyList } from '../observe/family-list.ts';
import type { Logger, LogLevel } from '../observe/log.ts';
import {
  createFileReloads,
  createProcessUsage,
  createWorkerMetrics,
  type WorkerMetrics,
} from '../observe/worker-metrics.ts';
import type { Serving } from './serving.ts';
import { exitReasons } from './exit-reason.ts';
import { logFd, type ToWorker, type WorkerKind, type WorkerOrder, type WorkerTask } from './messages.ts';
import { SharedMetrics } from './shared-metrics.ts';
import { WorkerSlot } from './worker-slot.ts';

export interface PoolOptions {
  /** The file that workers run; it calls `runWorkerProcess`. */
  readonly program: string;
  readonly kind: WorkerKind;
  readonly count: number;
  readonly logger: Logger;
  /** Of the workers. */
  readonly logLevel: LogLevel;
  /** A worker that is told to stop has this long. */
  readonly stopMs: number;
}

/** Makes the task of the next worker with a number. */
type MakeTask = (number: number) => WorkerTask;

export class WorkerPool {
  readonly fileReloads: Serving['fileReloads'];
  private readonly options: PoolOptions;
  private readonly slots = new Map<number, WorkerSlot>();
  private readonly workerMetrics: WorkerMetrics;
  private readonly metrics: SharedMetrics;
  private readonly begun = Promise.withResolvers<MakeTask>();
  /** Pauses between workers do not keep the process alive. */
  private readonly awake = setInterval(() => undefined, 60_000);
  private served: number | undefined;

  /** Starts the processes, which load their code and wait for `begin`. */
  constructor(options: PoolOptions) {
    this.options = options;
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
      execArgv: [...process.execArgv.filter((flag) => flag !== noInspector), noInspector],
      serialization: 'advanced',
      stdio: Object.assign(['ignore', 'inherit', 'pipe', 'ipc'], { [logFd]: process.stderr.fd }),
    });
    for (let number = 1; number <= options.count; number += 1) this.slots.set(number, this.slot(number));
    process.on('exit', this.kill);
  }

  /** The port that the first worker got. */
  get port(): number | undefined {
    return this.served;
  }

  /** Whether some worker serves. */
  get isUp(): boolean {
    return [...this.slots.values()].some((slot) => slot.isUp);
  }

  /** Lets the workers begin. Resolves when all are ready. @throws StartError when one of them cannot start */
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

  /** Stops all workers in order. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => slot.close()));
    process.off('exit', this.kill);
    clearInterval(this.awake);
  }

  /** A process that ends at once takes its workers along. */
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
      scrape: () => this.metrics.snapshots(),
      areOthersUp: () => [...this.slots].some(([other, slot]) => other !== number && slot.takesConnections),
      onUp: (port) => {
        this.served ??= port;
        up.series({ worker }).set(1);
      },
      onDown: () => {
        up.series({ worker }).set(0);
        this.metrics.forget(number);
      },
      onRestart: (reason) => {
        restarts.series({ worker, reason }).add();
      },
    });
  }

  private async order(number: number): Promise<WorkerOrder> {
    const makeTask = await this.begun.promise;
    const { count, logLevel } = this.options;
    return { number, count, logLevel, task: makeTask(number) };
  }
}

const noInspector = '--disable-sigusr1';
