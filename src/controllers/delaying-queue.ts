/** Keys that wait for their time: each once, for the earliest requested time (client-go's delaying queue). */

import { longestTimerMs, type Clock, type Timer } from '../base/clock.ts';

interface Waiting {
  /** In monotonic milliseconds. */
  readonly dueAt: number;
  readonly timer: Timer;
}

export class DelayingQueue<K> {
  readonly #onDue: (key: K) => void;
  readonly #clock: Clock;
  readonly #waiting = new Map<K, Waiting>();
  #isClosed = false;

  constructor(onDue: (key: K) => void, clock: Clock) {
    this.#onDue = onDue;
    this.#clock = clock;
  }

  /** How many keys wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The keys that wait, and when they are due in monotonic milliseconds. */
  *dueTimes(): Generator<readonly [K, number], void> {
    for (const [key, { dueAt }] of this.#waiting) yield [key, dueAt];
  }

  /** A key without a pause is due at once. After `close` nothing is. */
  add(key: K, pauseMs: number): void {
    if (this.#isClosed) return;
    if (!(pauseMs > 0)) {
      this.#onDue(key);
      return;
    }
    const dueAt = this.#clock.monotonic() + pauseMs;
    const before = this.#waiting.get(key);
    if (before && before.dueAt <= dueAt) return;
    this.#clock.clear(before?.timer);
    this.#wait(key, dueAt);
  }

  /** Stops every timer permanently. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.values()) this.#clock.clear(timer);
    this.#waiting.clear();
  }

  /** Delays longer than a timer's are split. */
  #wait(key: K, dueAt: number): void {
    const leftMs = Math.min(dueAt - this.#clock.monotonic(), longestTimerMs);
    const timer = this.#clock.setTimeout(() => this.#look(key, dueAt), leftMs);
    timer.unref();
    this.#waiting.set(key, { dueAt, timer });
  }

  /** Timers may be early by the fraction of a millisecond, which does not count. */
  #look(key: K, dueAt: number): void {
    if (dueAt - this.#clock.monotonic() > 1) {
      this.#wait(key, dueAt);
      return;
    }
    this.#waiting.delete(key);
    this.#onDue(key);
  }
}
