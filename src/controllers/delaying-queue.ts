/** Keys that wait for their time: each once, for the earliest requested time (client-go's delaying queue). */

/** Longest time of a timer; longer delays are split. */
const longestTimerMs = 2 ** 31 - 1;

interface Waiting {
  /** On the clock of `performance.now()`. */
  readonly dueAt: number;
  readonly timer: NodeJS.Timeout;
}

export class DelayingQueue<K> {
  readonly #onDue: (key: K) => void;
  readonly #waiting = new Map<K, Waiting>();
  #isClosed = false;

  constructor(onDue: (key: K) => void) {
    this.#onDue = onDue;
  }

  /** How many keys wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** A key without a pause is due at once. After `close` nothing is. */
  add(key: K, pauseMs: number): void {
    if (this.#isClosed) return;
    if (!(pauseMs > 0)) {
      this.#onDue(key);
      return;
    }
    const dueAt = performance.now() + pauseMs;
    const before = this.#waiting.get(key);
    if (before && before.dueAt <= dueAt) return;
    clearTimeout(before?.timer);
    this.#wait(key, dueAt);
  }

  /** Stops every timer permanently. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #wait(key: K, dueAt: number): void {
    const leftMs = Math.min(dueAt - performance.now(), longestTimerMs);
    const timer = setTimeout(() => this.#look(key, dueAt), leftMs);
    timer.unref();
    this.#waiting.set(key, { dueAt, timer });
  }

  /** Timers may be early by the fraction of a millisecond, which does not count. */
  #look(key: K, dueAt: number): void {
    if (dueAt - performance.now() > 1) {
      this.#wait(key, dueAt);
      return;
    }
    this.#waiting.delete(key);
    this.#onDue(key);
  }
}
