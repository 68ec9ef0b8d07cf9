/**
 * A worker and its replacements.
 *
 *   starting ──serving──▶ up ──ends by itself──▶ waiting ──pause over──▶ starting
 *      │                   │                        │
 *      │                   └─────── close() ────────┴──▶ stopped
 *      └──ends before the first has ever served──▶ failed (`firstUp` rejects)
 */
import { systemRandom } from '../base/random.ts';
import { longestTimerMs, systemClock } from '../base/clock.ts';
import cluster, { type Worker } from 'node:cluster';
import { Backoff } from '../base/backoff.ts';
import { asError, messageOf } from '../base/errors.ts';
import { aborted, pause } from '../base/pause.ts';
import type { Logger } from '../observe/log.ts';
import type { FamilySnapshot, MetricSnapshot } from '../observe/metric-snapshot.ts';
import { PendingRequests } from '../base/pending-requests.ts';
import { sendParts } from '../observe/metric-parts.ts';
import { describeStartError, StartError, type StartErrorDetail } from '../base/start-error.ts';
import { describeExit, exitReason, type ExitReason, type ProcessExit } from './exit-reason.ts';
import { passOnUnconfirmed } from './handed-connections.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './worker-messages.ts';
import { countOomKills } from './oom-kills.ts';
import { allocatorSettings } from './allocator-settings.ts';
import { SilenceWatch } from './silence-watch.ts';
import { StrayOutput } from './stray-output.ts';

/** Timeout for the metrics of a worker. */
const scrapeTimeoutMs = 1_000;
const restartPause = { firstMs: 100, maxMs: 30_000 };
/**
 * A new worker says hello before it loads its code, which takes a second on a busy machine. Where the system has no thread
 * left for it, Node waits for that thread forever, before it runs any program.
 */
const defaultHelloMs = 20_000;
/**
 * A worker gives a sign of life every second from its hello on. One that gives none for this time hangs: the longest step
 * of a healthy one, a collection of a heap of gigabytes, takes seconds, also on a busy machine.
 */
const defaultSilentMs = 60_000;
/** A stopping worker is waited for by others, and hangs after this time without a sign of life. */
const stoppingSilentMs = 10_000;
/** The backoff is reset after a worker has served for this time. */
const steadyMs = 60_000;

export interface SlotOptions {
  readonly number: number;
  readonly logger: Logger;
  /** The order of the next worker. */
  readonly order: () => Promise<WorkerOrder>;
  /** Timeout after which a stopping worker is killed. */
  readonly stopMs: number;
  /** Timeout after which a new worker that says nothing is killed; default 20 s. */
  readonly helloMs?: number;
  /** Timeout after which a worker that has said hello and gives no sign of life is killed; default one minute. */
  readonly silentMs?: number;
  /** The metrics of all other workers and the supervisor. */
  readonly scrape: () => Promise<MetricSnapshot>;
  /** Whether another worker accepts connections. */
  readonly areOthersUp: () => boolean;
  /** Resolves when a worker that has the state may listen. */
  readonly onLoaded: () => Promise<void>;
  readonly onUp: (port: number) => void;
  /** A worker that served has ended. */
  readonly onDown: () => void;
  readonly onEnd: () => void;
  readonly onRestart: (reason: ExitReason) => void;
}

/** From fork to exit. */
interface Life {
  readonly pid: number | undefined;
  readonly exit: ProcessExit;
  readonly reason: ExitReason;
  /** undefined if it never served. */
  readonly servedMs: number | undefined;
}

export class WorkerSlot {
  /** Resolves when the first worker serves. Rejects with a StartError if it exits before. */
  readonly firstUp: Promise<void>;
  private readonly options: SlotOptions;
  private readonly closing = new AbortController();
  private readonly pending = new PendingRequests<FamilySnapshot>(systemClock);
  private readonly running: Promise<void>;
  private worker: Worker | undefined;
  private hasOrder = false;
  private upSince: number | undefined;
  private silence: SilenceWatch | undefined;
  private errors: readonly StartErrorDetail[] = [];
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
    // It may reject before it is awaited.
    this.firstUp.catch(() => undefined);
    this.running = this.run();
  }

  get isUp(): boolean {
    return this.upSince !== undefined;
  }

  /** Whether its channel is open, which closes shortly before the exit. */
  get takesConnections(): boolean {
    return this.isUp && this.worker?.isConnected() === true;
  }

  /** Sends a message, unless the worker has exited. @param done called when it is on its way, or cannot be sent */
  send(message: ToWorker, done: () => void = () => undefined): void {
    // An exit meanwhile is handled by its event.
    if (this.worker?.isConnected() === true) this.worker.send(message, () => done());
    else done();
  }

  /**
   * The metrics of the worker.
   * @throws Error after a timeout
   */
  scrape(): Promise<MetricSnapshot> {
    const late = (): Error => new Error(`worker ${String(this.options.number)} does not respond`);
    return this.pending.request((id) => this.send({ kind: 'collect', id }), scrapeTimeoutMs, late);
  }

  /**
   * Stops the worker gracefully and resolves after its exit; kills it after a timeout, and sooner if it gives no sign
   * of life. Idempotent.
   */
  async close(): Promise<void> {
    const isFirst = !this.closing.signal.aborted;
    this.closing.abort();
    if (this.hasOrder) this.send({ kind: 'stop' });
    else this.kill();
    const { stopMs } = this.options;
    const cut = setTimeout(
      () => this.killFor('a worker does not end, and is killed', stopMs),
      Math.min(stopMs, longestTimerMs),
    );
    if (isFirst && this.worker)
      this.watchSilence('a worker that stops gives no sign of life, and is killed', stoppingSilentMs);
    await this.running;
    clearTimeout(cut);
  }

  private killFor(cause: string, ms: number): void {
    const { number, logger } = this.options;
    logger.warn(cause, { worker: number, pid: this.worker?.process.pid, seconds: ms / 1_000 });
    this.kill();
  }

  /** Kills the worker after a time without a sign of life. Replaces an earlier watch. */
  private watchSilence(cause: string, ms: number): void {
    this.silence?.stop();
    this.silence = new SilenceWatch(systemClock, ms, () => this.killFor(cause, ms));
  }

  /** Kills the worker. */
  kill(): void {
    this.worker?.process.kill('SIGKILL');
  }

  private async run(): Promise<void> {
    const backoff = new Backoff(restartPause, systemRandom);
    const { signal } = this.closing;
    for (let isFirst = true; ; isFirst = false) {
      const life = await this.life();
      if (hasEnded(signal)) break;
      if (isFirst && life.servedMs === undefined) {
        this.settleFirst.failed(this.startError(life));
        break;
      }
      if ((life.servedMs ?? 0) > steadyMs) backoff.reset();
      const pauseMs = Math.round(backoff.nextMs());
      this.report(life, pauseMs);
      await pause(systemClock, pauseMs, signal);
      if (hasEnded(signal)) break;
      this.options.onRestart(life.reason);
    }
  }

  private async life(): Promise<Life> {
    this.errors = [];
    this.hasOrder = false;
    const killsBefore = countOomKills();
    const worker = forkWorker();
    if (worker instanceof Error) return unborn({ code: null, signal: null, problem: worker.message });
    const { pid } = worker.process;
    // Without a process there is neither a channel nor output.
    if (pid === undefined) return unborn(await exitOf(worker));
    this.worker = worker;
    const { logger, number } = this.options;
    const output = new StrayOutput(worker.process.stderr, logger, () => ({ worker: number, pid }));
    passOnUnconfirmed(worker.process, this.options.areOthersUp);
    worker.on('message', (message: FromWorker) => {
      this.hear(message);
    });
    const { helloMs = defaultHelloMs } = this.options;
    this.watchSilence('a new worker gives no sign of life, and is killed', helloMs);
    const exit = await exitOf(worker);
    this.silence?.stop();
    const servedMs = this.upSince === undefined ? undefined : performance.now() - this.upSince;
    this.worker = undefined;
    this.upSince = undefined;
    if (servedMs !== undefined) this.options.onDown();
    this.options.onEnd();
    const oomKills = (await countOomKills()) - (await killsBefore);
    return { pid, exit, reason: exitReason(exit, await output.tail(), oomKills), servedMs };
  }

  private hear(message: FromWorker): void {
    switch (message.kind) {
      case 'hello':
        this.watchHeard();
        void this.giveOrder();
        return;
      case 'loaded':
        void this.letListen();
        return;
      case 'serving':
        this.upSince = performance.now();
        this.options.onUp(message.port);
        this.settleFirst.up();
        return;
      case 'alive':
        this.silence?.heard();
        return;
      case 'errors':
        this.errors = message.errors;
        return;
      case 'metrics':
        this.pending.answer(message.id, message.part, message.isLast);
        return;
      case 'scrape':
        void this.answerScrape(message.id);
    }
  }

  /** From hello on. One that is to stop has been given its time. */
  private watchHeard(): void {
    if (this.closing.signal.aborted) return;
    const { silentMs = defaultSilentMs } = this.options;
    this.watchSilence('a worker gives no sign of life, and is killed', silentMs);
  }

  private async giveOrder(): Promise<void> {
    const { worker } = this;
    const order = await Promise.race([this.options.order(), aborted(this.closing.signal)]);
    if (order === undefined || worker !== this.worker) return;
    this.hasOrder = true;
    this.send({ kind: 'start', order });
  }

  private async letListen(): Promise<void> {
    const { worker } = this;
    await this.options.onLoaded();
    if (worker === this.worker) this.send({ kind: 'listen' });
  }

  private async answerScrape(id: number): Promise<void> {
    try {
      const others = await this.options.scrape();
      const sent = (message: ToWorker): Promise<void> =>
        new Promise((resolve) => this.send(message, resolve));
      await sendParts(others, (part, isLast) => sent({ kind: 'scraped', id, part, isLast }));
    } catch (error) {
      this.options.logger.error('the metrics of the workers could not be aggregated', { err: error });
    }
  }

  private startError({ exit, reason }: Life): StartError {
    if (this.errors.length > 0) return new StartError(this.errors);
    const cause = `a worker ended with ${describeExit(exit)} before it served (${reason})`;
    if (reason === 'out_of_memory')
      return StartError.of(
        'MEMORY_EXHAUSTED',
        cause,
        'all objects are in memory: raise the limit of the heap (NODE_OPTIONS=--max-old-space-size=MB) or of the container',
      );
    return StartError.of('INTERNAL', cause, 'see the lines above for the reason; otherwise please report it');
  }

  private report({ pid, exit, reason, servedMs }: Life, pauseMs: number): void {
    this.options.logger.error('a worker exited and is restarted', {
      worker: this.options.number,
      pid,
      reason,
      end: describeExit(exit),
      exitCode: exit.code,
      signal: exit.signal,
      ...(servedMs !== undefined && { servedSeconds: Math.round(servedMs) / 1000 }),
      pauseMs,
      ...(this.errors.length > 0 && { problems: this.errors.map(describeStartError) }),
    });
  }
}

/**
 * A new process. Where the system has no file descriptor, process or memory left for it, that is an error of the worker
 * (which has no process id then) or, for other causes, thrown: both are tried again later, as the cause may pass.
 */
function forkWorker(): Worker | Error {
  try {
    return cluster.fork(allocatorSettings(process.env));
  } catch (error) {
    return asError(error);
  }
}

/** The life of a worker that could not be started. */
function unborn(exit: ProcessExit): Life {
  return { pid: undefined, exit, reason: 'exit', servedMs: undefined };
}

/** The error event of an undelivered message is not an exit. */
function exitOf(worker: Worker): Promise<ProcessExit> {
  return new Promise((resolve) => {
    worker.on('exit', (code: number | null, signal: string | null) => {
      resolve({ code, signal, problem: '' });
    });
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, problem: messageOf(error) });
    });
  });
}

/** Called after awaits, when the signal may have changed. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
