/**
 * The work queue of a controller: keys, each worked on by one worker at a time, tried again with growing pauses
 * after a failure. A key that is added while it is worked on is worked on once more. Its size is bounded by the
 * number of distinct keys; there is no other policy, since every key stands for an object that exists.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ControllerLog, ControllerMetrics } from './types.ts';

export interface WorkQueueOptions<K> {
  readonly name: string;
  /** Handles one key; a throw means "again later", a returned number "again after so many milliseconds". */
  readonly handle: (key: K, signal: AbortSignal) => Promise<number | undefined>;
  readonly workers: number;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
}

const firstPauseMs = 50;
const longestPauseMs = 60_000;

export class WorkQueue<K> {
  private readonly options: WorkQueueOptions<K>;
  /** Waiting keys in order of arrival. */
  private readonly waiting = new Set<K>();
  private readonly working = new Set<K>();
  private readonly again = new Set<K>();
  private readonly failures = new Map<K, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private wake = Promise.withResolvers<undefined>();

  constructor(options: WorkQueueOptions<K>) {
    this.options = options;
  }

  /** Asks for work on a key, now. */
  add(key: K): void {
    if (this.working.has(key)) {
      this.again.add(key);
      return;
    }
    this.waiting.add(key);
    this.options.metrics.depth(this.options.name, this.waiting.size);
    this.wakeAll();
  }

  /** Asks for work on a key after a pause. */
  addAfter(key: K, pauseMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.add(key);
    }, pauseMs);
    timer.unref();
    this.timers.add(timer);
  }

  /** Works until the signal is aborted; resolves when no work is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.wakeAll();
    signal.addEventListener('abort', stop);
    try {
      await Promise.all(Array.from({ length: this.options.workers }, () => this.work(signal)));
    } finally {
      signal.removeEventListener('abort', stop);
      for (const timer of this.timers) clearTimeout(timer);
      this.timers.clear();
    }
  }

  /** Every idle worker looks again; each round of waiting has a promise of its own. */
  private wakeAll(): void {
    const { resolve } = this.wake;
    this.wake = Promise.withResolvers();
    resolve(undefined);
  }

  private async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const key = this.take();
      if (key === undefined) await this.wake.promise;
      else await this.handle(key, signal);
    }
  }

  private take(): K | undefined {
    const [key] = this.waiting;
    if (key === undefined) return undefined;
    this.waiting.delete(key);
    this.working.add(key);
    this.options.metrics.depth(this.options.name, this.waiting.size);
    return key;
  }

  private async handle(key: K, signal: AbortSignal): Promise<void> {
    const started = performance.now();
    let failed = false;
    try {
      const againAfterMs = await this.options.handle(key, signal);
      this.failures.delete(key);
      if (againAfterMs !== undefined) this.addAfter(key, againAfterMs);
    } catch (error) {
      failed = true;
      if (!signal.aborted) this.retry(key, error);
    } finally {
      this.options.metrics.worked(this.options.name, (performance.now() - started) / 1000, failed);
      this.working.delete(key);
      if (this.again.delete(key)) this.add(key);
    }
  }

  private retry(key: K, error: unknown): void {
    const count = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, count);
    const pauseMs = Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs);
    this.options.log.warn(
      { queue: this.options.name, attempt: count, pauseMs, err: error },
      'work failed, trying again',
    );
    this.addAfter(key, pauseMs);
  }
}

/** Waits, but not beyond an abort; resolves in both cases. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Whether to stop, asked anew: after an await the signal may have been aborted. */
export function hasStopped(signal: AbortSignal): boolean {
  return signal.aborted;
}
