/**
 * A serving thread of this process, and the ones that replace it: a thread that ends (an uncaught error, out of memory)
 * is replaced while the others serve.
 *
 *   starting ──hello──▶ told what to do ──serving──▶ up ──it ends──▶ pause ──▶ starting
 */
import { Worker, type MessagePort } from 'node:worker_threads';
import { Backoff } from '../base/backoff.ts';
import { systemClock } from '../base/clock.ts';
import { asError, messageOf } from '../base/errors.ts';
import { pause } from '../base/pause.ts';
import { PendingRequests } from '../base/pending-requests.ts';
import { systemRandom } from '../base/random.ts';
import { describeStartError, StartError, type StartErrorDetail } from '../base/start-error.ts';
import type { Logger } from '../observe/log.ts';
import { sendParts } from '../observe/metric-parts.ts';
import type { FamilySnapshot, MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './worker-messages.ts';

export interface ThreadSlotOptions {
  readonly program: string;
  readonly number: number;
  readonly logger: Logger;
  /** Timeout of a graceful stop. */
  readonly stopMs: number;
  /** The order for the next thread, and what goes over to it. `replace` ends that thread, so that another takes its place. */
  readonly order: (replace: () => void) => {
    readonly order: WorkerOrder;
    readonly ports: readonly MessagePort[];
  };
  /** The metrics of all others. */
  readonly scrape: () => Promise<MetricSnapshot>;
  /** Resolves when a thread that has the state may listen. */
  readonly onLoaded: () => Promise<void>;
  readonly onUp: (port: number) => void;
  /** A thread that served has ended. */
  readonly onDown: () => void;
  readonly onEnd: () => void;
  readonly onReplace: () => void;
}

const restartPause = { firstMs: 100, maxMs: 30_000 };
/** A thread that served for so long resets the pause. */
const steadyMs = 60_000;
const scrapeTimeoutMs = 2_000;

export class ThreadSlot {
  /** Resolves when the first thread serves. Rejects with a StartError if it ends before. */
  readonly firstUp: Promise<undefined>;
  readonly #options: ThreadSlotOptions;
  readonly #first = Promise.withResolvers<undefined>();
  readonly #closing = new AbortController();
  readonly #pending = new PendingRequests<FamilySnapshot>(systemClock);
  readonly #running: Promise<void>;
  #thread: Worker | undefined;
  #upSince: number | undefined;
  #errors: readonly StartErrorDetail[] = [];
  #hasOrder = false;

  constructor(options: ThreadSlotOptions) {
    this.#options = options;
    this.firstUp = this.#first.promise;
    this.firstUp.catch(() => undefined);
    this.#running = this.#run();
  }

  get isUp(): boolean {
    return this.#upSince !== undefined;
  }

  /** Sends a message, unless the thread has ended. */
  send(message: ToWorker): void {
    this.#thread?.postMessage(message);
  }

  /** The metrics of the thread. @throws Error after a timeout */
  scrape(): Promise<MetricSnapshot> {
    const late = (): Error => new Error(`thread ${String(this.#options.number)} does not respond`);
    return this.#pending.request((id) => this.send({ kind: 'collect', id }), scrapeTimeoutMs, late);
  }

  /** Stops the thread gracefully, and ends it after a timeout. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    // One that has nothing to do yet may load code for seconds.
    if (this.#hasOrder) this.send({ kind: 'stop' });
    else void this.#thread?.terminate();
    const cut = systemClock.setTimeout(() => void this.#thread?.terminate(), this.#options.stopMs);
    await this.#running;
    systemClock.clear(cut);
  }

  async #run(): Promise<void> {
    const backoff = new Backoff(restartPause, systemRandom);
    const { signal } = this.#closing;
    for (let isFirst = true; !hasEnded(signal); isFirst = false) {
      const { reason, servedMs } = await this.#life();
      if (hasEnded(signal)) break;
      if (isFirst && servedMs === undefined) {
        this.#first.reject(this.#startError(reason));
        break;
      }
      if ((servedMs ?? 0) > steadyMs) backoff.reset();
      const pauseMs = Math.round(backoff.nextMs());
      const problems = this.#errors.map(describeStartError);
      const { number, logger } = this.#options;
      logger.error('a serving thread ended and is replaced', { thread: number, reason, pauseMs, problems });
      await pause(systemClock, pauseMs, signal);
      this.#options.onReplace();
    }
  }

  async #life(): Promise<{ readonly reason: string; readonly servedMs: number | undefined }> {
    this.#errors = [];
    this.#hasOrder = false;
    const { program, number } = this.#options;
    const thread = startThread(program, `serving-${String(number)}`);
    if (thread instanceof Error) return { reason: thread.message, servedMs: undefined };
    this.#thread = thread;
    thread.on('message', (message: FromWorker) => this.#hear(thread, message));
    const reason = await endOf(thread);
    const servedMs = this.#upSince === undefined ? undefined : performance.now() - this.#upSince;
    this.#thread = undefined;
    this.#upSince = undefined;
    if (servedMs !== undefined) this.#options.onDown();
    this.#options.onEnd();
    return { reason, servedMs };
  }

  #hear(thread: Worker, message: FromWorker): void {
    switch (message.kind) {
      case 'hello': {
        if (hasEnded(this.#closing.signal)) {
          thread.postMessage({ kind: 'stop' } satisfies ToWorker);
          return;
        }
        this.#hasOrder = true;
        const { order, ports } = this.#options.order(() => void thread.terminate());
        thread.postMessage({ kind: 'start', order } satisfies ToWorker, [...ports]);
        return;
      }
      case 'loaded':
        void this.#letListen(thread);
        return;
      case 'serving':
        this.#upSince = performance.now();
        this.#options.onUp(message.port);
        this.#first.resolve(undefined);
        return;
      case 'errors':
        this.#errors = message.errors;
        return;
      case 'metrics':
        this.#pending.answer(message.id, message.part, message.isLast);
        return;
      case 'scrape':
        void this.#answerScrape(message.id);
        return;
      case 'alive':
    }
  }

  async #letListen(thread: Worker): Promise<void> {
    await this.#options.onLoaded();
    thread.postMessage({ kind: 'listen' } satisfies ToWorker);
  }

  async #answerScrape(id: number): Promise<void> {
    try {
      const others = await this.#options.scrape();
      await sendParts(others, (part, isLast) => {
        this.send({ kind: 'scraped', id, part, isLast });
        return Promise.resolve();
      });
    } catch (error) {
      this.#options.logger.error('the metrics of the threads could not be aggregated', { err: error });
    }
  }

  #startError(reason: string): StartError {
    if (this.#errors.length > 0) return new StartError(this.#errors);
    const cause = `a serving thread ended before it served: ${reason}`;
    return StartError.of('INTERNAL', cause, 'see the lines above for the reason; otherwise please report it');
  }
}

/** Where the system has no thread or memory left, that may pass: an error is tried again as the end of a thread is. */
function startThread(program: string, name: string): Worker | Error {
  try {
    return new Worker(program, { name });
  } catch (error) {
    return asError(error);
  }
}

/** Resolves with the reason when the thread has ended. */
function endOf(thread: Worker): Promise<string> {
  return new Promise((resolve) => {
    let reason = '';
    thread.on('error', (error) => {
      reason = messageOf(error);
    });
    thread.on('exit', (code) => resolve(reason || `it exited with ${String(code)}`));
  });
}

function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
