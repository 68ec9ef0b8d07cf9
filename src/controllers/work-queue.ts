/**
 * The work queue of a controller: keys, each worked on by one worker at a time, tried again with growing pauses after a
 * failure. A key that is added while it is worked on is worked on once more; one that waits for a later time waits
 * once, for the earliest requested time (client-go's rate-limited and delaying queues). Its size is bounded by the
 * number of distinct keys; there is no other policy, since every key stands for an object that exists.
 */
import type { Clock } from '../base/clock.ts';
import { Front } from '../base/front.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { ControllerLog, ControllerMetrics, QueueMetrics } from './types.ts';
import type { WorkLeft } from './work-left.ts';

export interface WorkQueueOptions<K> {
  readonly name: string;
  /** Handles one key; a throw means "again later", a returned number "again after so many milliseconds". */
  readonly handle: (key: K, signal: AbortSignal) => Promise<number | undefined>;
  /** A key in words; default its text. */
  readonly describe?: (key: K) => string;
  readonly workers: number;
  readonly clock: Clock;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
}

export class WorkQueue<K> {
  private readonly options: WorkQueueOptions<K>;
  private readonly metrics: QueueMetrics;
  /** Waiting keys in order of arrival, and since when they wait. */
  private readonly waiting = new Map<K, number>();
  private readonly front = new Front(this.waiting);
  /** Since when they are worked on. */
  private readonly working = new Map<K, number>();
  /** Keys that were added while they are worked on, and when. */
  private readonly again = new Map<K, number>();
  private readonly clock: Clock;
  private readonly retries: RateLimiter<K>;
  private readonly delayed: DelayingQueue<K>;
  private isOver = false;
  private wake = Promise.withResolvers<undefined>();

  constructor(options: WorkQueueOptions<K>) {
    this.options = options;
    this.clock = options.clock;
    this.retries = new RateLimiter(options.clock);
    this.delayed = new DelayingQueue((key) => this.add(key), options.clock);
    this.metrics = options.metrics.queue(options.name, {
      startedAt: () => this.working.values(),
      left: () => this.left(),
    });
  }

  /** Keys that wait for a worker, and keys that wait for their time. */
  get size(): { readonly waiting: number; readonly delayed: number } {
    return { waiting: this.waiting.size, delayed: this.delayed.size };
  }

  /** Keys that are not done; none once the queue has ended. */
  private *left(): Generator<WorkLeft, void> {
    if (this.isOver) return;
    const { name: queue, describe = String } = this.options;
    for (const key of this.waiting.keys()) yield { queue, key: describe(key), state: 'waiting', dueInMs: 0 };
    for (const key of this.working.keys()) yield { queue, key: describe(key), state: 'working', dueInMs: 0 };
    const now = this.clock.monotonic();
    for (const [key, dueAt] of this.delayed.dueTimes()) {
      const state = this.retries.failures(key) > 0 ? 'failed' : 'later';
      yield { queue, key: describe(key), state, dueInMs: Math.max(0, dueAt - now) };
    }
  }

  /** Keys that will be taken, as client-go counts them: with those that are worked on once more. */
  private get depth(): number {
    return this.waiting.size + this.again.size;
  }

  /** Queues a key. */
  add(key: K): void {
    const list = this.working.has(key) ? this.again : this.waiting;
    if (list.has(key)) return;
    list.set(key, this.clock.monotonic());
    this.metrics.added(this.depth);
    if (list === this.waiting) this.wakeAll();
  }

  /** Queues a key after a pause; a key that waits already waits for the earlier time. */
  addAfter(key: K, pauseMs: number): void {
    this.delayed.add(key, pauseMs);
  }

  /** Works until the signal is aborted; resolves when no work is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.wakeAll();
    signal.addEventListener('abort', stop);
    try {
      await Promise.all(Array.from({ length: this.options.workers }, () => this.work(signal)));
    } finally {
      signal.removeEventListener('abort', stop);
      this.delayed.close();
      this.isOver = true;
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
    const first = this.front.next();
    if (first === undefined) return undefined;
    const [key, since] = first;
    const now = this.clock.monotonic();
    this.waiting.delete(key);
    this.working.set(key, now);
    this.metrics.taken(this.depth, (now - since) / 1_000);
    return key;
  }

  private async handle(key: K, signal: AbortSignal): Promise<void> {
    const started = this.clock.monotonic();
    let failed = false;
    try {
      const againAfterMs = await this.options.handle(key, signal);
      this.retries.forget(key);
      if (againAfterMs !== undefined) this.addAfter(key, againAfterMs);
    } catch (error) {
      failed = true;
      if (!signal.aborted) this.retry(key, error);
    } finally {
      this.metrics.worked((this.clock.monotonic() - started) / 1_000, failed);
      this.working.delete(key);
      this.queueAgain(key);
    }
  }

  private queueAgain(key: K): void {
    const since = this.again.get(key);
    if (since === undefined) return;
    this.again.delete(key);
    this.waiting.set(key, since);
    this.wakeAll();
  }

  private retry(key: K, error: unknown): void {
    const pauseMs = this.retries.nextMs(key);
    this.options.log.warn(
      { queue: this.options.name, attempt: this.retries.failures(key), pauseMs, err: error },
      'work failed, trying again',
    );
    this.addAfter(key, pauseMs);
  }
}

/** Whether to stop; checked again after an await, when the signal may have been aborted. */
export function hasStopped(signal: AbortSignal): boolean {
  return signal.aborted;
}
