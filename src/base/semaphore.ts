/**
 * A weighted semaphore. Waiters are served in order; heavy ones are not overtaken by light ones. The queue is bounded
 * by the number of callers.
 */
import { Fifo } from './fifo.ts';

export class Semaphore {
  readonly #limit: number;
  #free: number;
  readonly #waiting = new Fifo<{ readonly share: number; readonly begin: () => void }>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Runs `work` when its weight fits; settles as it does. Work heavier than the limit runs alone. */
  async use<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    const share = Math.min(weight, this.#limit);
    if (this.#waiting.length === 0 && share <= this.#free) this.#free -= share;
    else await this.#turn(share);
    try {
      return await work();
    } finally {
      this.#free += share;
      this.#admit();
    }
  }

  #turn(share: number): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push({ share, begin });
    });
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting.first;
      if (next === undefined || next.share > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.share;
      next.begin();
    }
  }
}
