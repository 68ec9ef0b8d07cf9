/**
 * At most `limit` at once of whatever work takes: holders, bytes. Others wait in order; whoever takes much is not overtaken
 * by those who take little. The queue is bounded by its callers' number.
 */
export class Semaphore {
  readonly #limit: number;
  #free: number;
  readonly #waiting: { readonly share: number; readonly begin: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Runs `work` when there is room for its weight; resolves or rejects as it does. What weighs more than all room is alone. */
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
      const [next] = this.#waiting;
      if (next === undefined || next.share > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.share;
      next.begin();
    }
  }
}
