/** Pieces of work that must not mix, each of which is done at once where it can be. */
import type { MaybePromise } from './maybe-promise.ts';

export class InOrder {
  #last: Promise<undefined> | undefined;

  /** Resolves when all that was begun so far is done; undefined: all is. */
  get underWay(): Promise<undefined> | undefined {
    return this.#last;
  }

  /**
   * Begins the work behind what is under way, also behind the work that calls this; else at once. Throws or rejects as it does; what
   * follows is done all the same.
   */
  run(work: () => MaybePromise<void>): MaybePromise<void> {
    const before = this.#last;
    const over = Promise.withResolvers<undefined>();
    this.#last = over.promise;
    const end = (): void => {
      if (this.#last === over.promise) this.#last = undefined;
      over.resolve(undefined);
    };
    return before ? before.then(() => take(work, end)) : take(work, end);
  }
}

function take(work: () => MaybePromise<void>, end: () => void): MaybePromise<void> {
  let isUnderWay = false;
  try {
    const done = work();
    if (!(done instanceof Promise)) return;
    isUnderWay = true;
    return done.finally(end);
  } finally {
    if (!isUnderWay) end();
  }
}
