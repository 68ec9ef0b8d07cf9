/** Cooperative scheduling: long loops yield to the event loop. */
import { nextTick } from 'node:process';
import { eventLoop } from './event-loop.ts';
import { Fifo } from './fifo.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Maximum time in milliseconds that a loop runs before it yields; well below the limit of 20 ms. */
const sliceMs = 5;

/** The same for loops that share a slice: a few kinds of loops may each have a slice in one turn. */
const sharedSliceMs = 3;

/**
 * Resolves in the same turn, after connections have sent written data: that happens at the end of a turn, and a loop
 * that does not wait for it does not account for its time.
 */
export function written(): Promise<void> {
  return new Promise((resolve) => {
    nextTick(resolve);
  });
}

/** Resolves in a later turn. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => {
    eventLoop().nextTurn(resolve);
  });
}

/** A loop calls `shouldYield()` often (cheap), and awaits `yieldNow()` if it returns true. */
export class Slice {
  private deadline = eventLoop().now() + sliceMs;

  shouldYield(): boolean {
    return eventLoop().now() > this.deadline;
  }

  async yieldNow(): Promise<void> {
    await laterTurn();
    this.deadline = eventLoop().now() + sliceMs;
  }

  /** Called between two steps of long work: yields if the slice is over. */
  breathe(): MaybePromise<void> {
    return this.shouldYield() ? this.yieldNow() : undefined;
  }
}

/**
 * A slice shared by concurrent loops. With a slice each, a hundred loops would block the thread for a hundred slices;
 * here all together use one slice per turn and continue in the order in which they yielded.
 */
export class SharedSlice {
  /** Those that yielded; the one that goes on is not among them. */
  readonly #waiting = new Fifo<() => void>();
  #deadline = 0;
  #isDue = false;

  /** True if the slice is over. (While it is not, a loop keeps those that wait from nothing but the rest of it.) */
  shouldYield(): boolean {
    return eventLoop().now() > this.#deadline;
  }

  /** Resolves in a later turn, when it is this loop's turn. A loop has at most one entry in the queue. */
  yieldNow(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#openLater();
    });
  }

  #openLater(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    eventLoop().nextTurn(() => void this.#open());
  }

  /** Starts a slice and runs waiting loops in sequence until it is over. */
  async #open(): Promise<void> {
    this.#deadline = eventLoop().now() + sharedSliceMs;
    const round = this.#waiting.length;
    for (let done = 0; done < round && eventLoop().now() <= this.#deadline; done += 1) {
      this.#waiting.shift()?.();
      // The resumed loop runs, and its data is sent, before this continues.
      await written();
    }
    this.#isDue = false;
    if (this.#waiting.length > 0) this.#openLater();
  }
}

/** Steps over large values: one over a megabyte of small members takes tens of milliseconds. */
const largeSteps = new SharedSlice();
/** Values of at most so many bytes do not wait. */
const smallValue = 64 * 1024;

/**
 * To await before a step over a value of so many bytes: of all large ones of the process, about one is handled in a turn. It
 * always waits for a large one: of those that ask in one turn, each would find the slice not over.
 */
export function turnFor(bytes: number): MaybePromise<void> {
  return bytes > smallValue ? largeSteps.yieldNow() : undefined;
}

/** To await between the slices of such a step. */
export function breatheInLargeStep(): MaybePromise<void> {
  return largeSteps.shouldYield() ? largeSteps.yieldNow() : undefined;
}
