/** A clock that stands still until the test moves it on. */
import type { Clock, Timer } from '../../src/base/clock.ts';

interface Pending {
  readonly run: () => void;
  readonly everyMs: number | undefined;
  dueAt: number;
}

class HandTimer implements Timer {
  unref(): this {
    return this;
  }
}

export class HandClock implements Clock {
  #monotonic = 0;
  #epoch: number;
  readonly #pending = new Map<Timer, Pending>();

  /** @param epoch wall-clock time of the begin, in milliseconds since 1970 */
  constructor(epoch = 0) {
    this.#epoch = epoch;
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#epoch + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    return this.#set(callback, ms, undefined);
  }

  setInterval(callback: () => void, ms: number): Timer {
    return this.#set(callback, ms, Math.max(1, ms));
  }

  clear(timer: Timer | undefined): void {
    if (timer !== undefined) this.#pending.delete(timer);
  }

  /** Time passes; what becomes due meanwhile is called at its time, in order. */
  advance(ms: number): void {
    const until = this.#monotonic + ms;
    for (let next = this.#nextUntil(until); next !== undefined; next = this.#nextUntil(until)) {
      const [timer, pending] = next;
      this.#monotonic = Math.max(this.#monotonic, pending.dueAt);
      if (pending.everyMs === undefined) this.#pending.delete(timer);
      else pending.dueAt += pending.everyMs;
      pending.run();
    }
    this.#monotonic = until;
  }

  /** The wall clock is set forward or back. */
  step(ms: number): void {
    this.#epoch += ms;
  }

  #set(run: () => void, ms: number, everyMs: number | undefined): Timer {
    const timer = new HandTimer();
    this.#pending.set(timer, { run, everyMs, dueAt: this.#monotonic + Math.max(1, ms) });
    return timer;
  }

  #nextUntil(until: number): [Timer, Pending] | undefined {
    return [...this.#pending]
      .filter(([, { dueAt }]) => dueAt <= until)
      .reduce<[Timer, Pending] | undefined>(
        (first, one) => (first === undefined || one[1].dueAt < first[1].dueAt ? one : first),
        undefined,
      );
  }
}
