/** Yielding: long loops give the thread back before they hold it for too long. */
import { nextTick } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from './maybe-promise.ts';

/** Longest time that a loop works before it yields, in milliseconds; well under the 20 ms that nobody may exceed. */
const sliceMs = 5;

/** The same for loops that share a slice: there are a few kinds of them, each of which may have its slice in one turn. */
const sharedSliceMs = 3;

/**
 * Resolves in the same turn, when connections have sent what they were given: they do that when the rest of a turn is
 * done, and a loop that does not wait for it does not see the time that it takes.
 */
export function written(): Promise<void> {
  return new Promise((resolve) => {
    nextTick(resolve);
  });
}

/** A loop asks `shouldYield()` often (cheap) and awaits `yieldNow()` when told so. */
export class Slice {
  private deadline = performance.now() + sliceMs;

  shouldYield(): boolean {
    return performance.now() > this.deadline;
  }

  async yieldNow(): Promise<void> {
    await nextTurn();
    this.deadline = performance.now() + sliceMs;
  }

  /** Between two steps of a long piece of work: others have their turn when it has worked for long enough. */
  breathe(): MaybePromise<void> {
    return this.shouldYield() ? this.yieldNow() : undefined;
  }
}

/**
 * One slice for many loops that run beside each other. With a slice each, a hundred loops would hold the thread for a
 * hundred slices; here all together work for one, then everything else has its turn, and the next ones go on in the
 * order in which they yielded.
 */
export class SharedSlice {
  readonly #waiting: (() => void)[] = [];
  #deadline = 0;

  /** True when the slice is over, or others wait for their part of the next. */
  shouldYield(): boolean {
    return this.#waiting.length > 0 || performance.now() > this.#deadline;
  }

  /** Resolves in a later turn, when it is this loop's part. At most one entry per loop waits. */
  yieldNow(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => void this.#open());
    });
  }

  /** Begins a slice and lets the loops that wait work one after the other until it is over. */
  async #open(): Promise<void> {
    this.#deadline = performance.now() + sharedSliceMs;
    const round = this.#waiting.length;
    for (let done = 0; done < round && performance.now() <= this.#deadline; done += 1) {
      this.#waiting[0]?.();
      // What was let go runs, and what it wrote is sent, before this goes on.
      await written();
      this.#waiting.shift();
    }
    if (this.#waiting.length > 0) setImmediate(() => void this.#open());
  }
}
