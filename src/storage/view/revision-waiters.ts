/** Waiters for a revision of the view. */
import { steadyOf, type Clock } from '../../base/clock.ts';
import type { Revision } from '../types.ts';

interface Waiter {
  readonly revision: Revision;
  readonly resolve: (reached: boolean) => void;
}

export class RevisionWaiters {
  readonly #clock: Clock;
  #waiting: Waiter[] = [];
  #reached: Revision = 0;

  constructor(clock: Clock) {
    this.#clock = steadyOf(clock);
  }

  /** Resolves with true when the view reaches the revision, with false after `ms`. */
  async until(revision: Revision, ms: number): Promise<boolean> {
    if (revision <= this.#reached) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { revision, resolve };
    this.#waiting.push(waiter);
    const timer = this.#clock.setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      resolve(false);
    }, ms);
    const isReached = await promise;
    this.#clock.clear(timer);
    return isReached;
  }

  /** Resolves the waiters for this and earlier revisions. */
  reached(revision: Revision): void {
    this.#reached = revision;
    if (this.#waiting.length === 0) return;
    const done = this.#waiting.filter((waiter) => waiter.revision <= revision);
    if (done.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of done) waiter.resolve(true);
  }

  /** The storage stops: resolves all waiters. */
  close(): void {
    for (const waiter of this.#waiting) waiter.resolve(false);
    this.#waiting = [];
  }
}
