/**
 * One worker and those who take its place.
 *
 *   starting ──serving──▶ up ──ends by itself──▶ waiting ──pause over──▶ starting
 *      │                   │                        │
 *      │                   └─────── close() ────────┴──▶ stopped
 *      └──ends before the first has ever served──▶ failed (`firstUp` rejects)
 */
import cluster, { type Worker } from 'node:cluster';
import { Backoff } from '../../base/backoff.ts';
import { messageOf } from '../../base/errors.ts';
import { pause } from '../../base/pause.ts';
import type { Logger } from '../../observe/log.ts';
import type { MetricSnapshot } from '../../observe/snapshot.ts';
import { describeFault, StartError, type Fault } from '../faults.ts';
import { passOnUnconfirmed } from './handed-connections.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './messages.ts';
import { Questions } from './questions.ts';

/** Longest wait for a worker's metrics. */
const tellMs = 1_000;
const restartPause = { firstMs: 200, maxMs: 30_000 };
/** After a worker that served this long the pauses begin anew. */
const steadyMs = 60_000;

export interface SlotOptions {
  readonly number: number;
  readonly logger: Logger;
  /** What the next worker is to do. */
  readonly order: () => WorkerOrder;
  /** Time after which a worker that is told to stop is killed. */
  readonly stopMs: number;
  /** The metrics of all workers. */
  readonly scrape: () => Promise<string>;
  /** Whether another worker takes connections. */
  readonly areOthersUp: () => boolean;
  readonly onUp: (port: number) => void;
  readonly onDown: () => void;
  readonly onRestart: () => void;
}

export class WorkerSlot {
  /** Resolves when the first worker serves. Rejects with a StartError when it ends before. */
  readonly firstUp: Promise<void>;
  private readonly options: SlotOptions;
  private readonly closing = new AbortController();
  private readonly questions = new Questions<MetricSnapshot>();
  private readonly running: Promise<void>;
  private worker: Worker | undefined;
  private upSince: number | undefined;
  private faults: readonly Fault[] = [];
  private settleFirst: { readonly up: () => void; readonly failed: (error: Error) => void };

  constructor(options: SlotOptions) {
    this.options = options;
    const first = Promise.withResolvers<undefined>();
    this.settleFirst = {
      up: () => {
        first.resolve(undefined);
      },
      failed: first.reject,
    };
    this.firstUp = first.promise;
    this.running = this.run();
  }

  get isUp(): boolean {
    return this.upSince !== undefined;
  }

  /** It is not known to have ended, which shows a little before its exit. */
  get takesConnections(): boolean {
    return this.isUp && this.worker?.isConnected() === true;
  }

  /** Sends a message; a worker that is gone gets none. */
  send(message: ToWorker): void {
    // A worker that ends meanwhile is noticed by its exit.
    if (this.worker?.isConnected() === true) this.worker.send(message, () => undefined);
  }

  /** The worker's own metrics. @throws Error when it does not tell them in time */
  tell(): Promise<MetricSnapshot> {
    const late = (): Error => new Error(`worker ${String(this.options.number)} is silent`);
    return this.questions.ask((ask) => this.send({ kind: 'tell', ask }), tellMs, late);
  }

  /** Stops the worker in order and resolves when it is gone; what takes too long is killed. Idempotent. */
  async close(): Promise<void> {
    this.closing.abort();
    this.send({ kind: 'stop' });
    const cut = setTimeout(() => this.worker?.process.kill('SIGKILL'), this.options.stopMs);
    await this.running;
    clearTimeout(cut);
  }

  private async run(): Promise<void> {
    const backoff = new Backoff(restartPause);
    const { signal } = this.closing;
    for (let isFirst = true; ; isFirst = false) {
      const { end, servedMs } = await this.life();
      if (hasEnded(signal)) break;
      if (isFirst && servedMs === undefined) {
        this.settleFirst.failed(this.startError(end));
        break;
      }
      this.report(end);
      if ((servedMs ?? 0) > steadyMs) backoff.reset();
      await pause(backoff.nextMs(), signal);
      if (hasEnded(signal)) break;
      this.options.onRestart();
    }
  }

  /** From fork to exit. */
  private async life(): Promise<{ readonly end: string; readonly servedMs: number | undefined }> {
    this.faults = [];
    const worker = cluster.fork();
    this.worker = worker;
    passOnUnconfirmed(worker.process, this.options.areOthersUp);
    worker.on('message', (message: FromWorker) => {
      this.hear(message);
    });
    const end = await endOf(worker);
    const servedMs = this.upSince === undefined ? undefined : performance.now() - this.upSince;
    this.worker = undefined;
    this.upSince = undefined;
    if (servedMs !== undefined) this.options.onDown();
    return { end, servedMs };
  }

  private hear(message: FromWorker): void {
    switch (message.kind) {
      case 'hello':
        this.send({ kind: 'start', order: this.options.order() });
        if (this.closing.signal.aborted) this.send({ kind: 'stop' });
        return;
      case 'serving':
        this.upSince = performance.now();
        this.options.onUp(message.port);
        this.settleFirst.up();
        return;
      case 'faults':
        this.faults = message.faults;
        return;
      case 'metrics':
        this.questions.answer(message.ask, message.snapshot);
        return;
      case 'scrape':
        void this.answerScrape(message.ask);
    }
  }

  private async answerScrape(ask: number): Promise<void> {
    try {
      this.send({ kind: 'told', ask, text: await this.options.scrape() });
    } catch (error) {
      this.options.logger.error('the metrics of the workers could not be joined', { err: error });
    }
  }

  private startError(end: string): StartError {
    if (this.faults.length > 0) return new StartError(this.faults);
    const cause = `a worker ended with ${end} before it served`;
    return StartError.of('INTERNAL', cause, 'the lines above may tell why; else please report it');
  }

  private report(end: string): void {
    this.options.logger.error('a worker ended and is started again', {
      worker: this.options.number,
      end,
      ...(this.faults.length > 0 && { problems: this.faults.map(describeFault) }),
    });
  }
}

/** How a worker ended, or why it could not be started; a message that did not reach it is no end. */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.on('exit', (code: number | null, signal: string | null) => {
      resolve(signal ?? `code ${String(code)}`);
    });
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve(messageOf(error));
    });
  });
}

/** Asked after waits, when the signal may have changed. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
