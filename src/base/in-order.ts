/** Pieces of work that must not mix, each of which is done at once where it can be. */
import type { MaybePromise } from './maybe-promise.ts';

export class InOrder {
  #last: Promise<void> | undefined;

  /** Settles when all that was begun so far is done; undefined: all is. */
  get underWay(): Promise<void> | undefined {
    return this.#last;
  }

  /** Begins the work behind what is under way, else at once. Throws or rejects as it does; what follows is done all the same. */
  run(work: () => MaybePromise<void>): MaybePromise<void> {
    const done = this.#last ? this.#last.then(work) : work();
    if (!(done instanceof Promise)) return;
    const over = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last === over) this.#last = undefined;
      });
    this.#last = over;
    return done;
  }
}
