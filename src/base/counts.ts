/** Counts that are limited: of one thread, or (`shared-counts.ts`) of all threads of a process that serve. */

/** What this thread has of something, and what all have. */
export interface Count {
  /** Of this thread. */
  readonly own: number;
  /** Of all threads. */
  readonly total: number;
  /** Of each thread. */
  readonly all: readonly number[];
  /** Negative amounts give back what was added. */
  add(amount: number): void;
}

/** A count for each of many keys. */
export interface KeyedCount {
  /** Of all threads; never less than it is. */
  total(key: string): number;
  add(key: string, amount: number): void;
}

export interface Counts {
  readonly threads: number;
  /** @param unit amounts may be rounded up to multiples of it */
  count(name: string, unit?: number): Count;
  keyed(name: string, unit?: number): KeyedCount;
}

class OwnCount implements Count {
  own = 0;

  get total(): number {
    return this.own;
  }

  get all(): readonly number[] {
    return [this.own];
  }

  add(amount: number): void {
    this.own += amount;
  }
}

class OwnKeyedCount implements KeyedCount {
  readonly #amounts = new Map<string, number>();

  total(key: string): number {
    return this.#amounts.get(key) ?? 0;
  }

  add(key: string, amount: number): void {
    const left = this.total(key) + amount;
    if (left > 0) this.#amounts.set(key, left);
    else this.#amounts.delete(key);
  }
}

/** Of a process with one thread that serves. */
export const ownCounts: Counts = {
  threads: 1,
  count: () => new OwnCount(),
  keyed: () => new OwnKeyedCount(),
};
