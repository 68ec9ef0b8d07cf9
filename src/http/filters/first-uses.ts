/** Tells the first use of a day from others, for lines of the log that would otherwise be as many as requests. */
import type { Clock } from '../../base/clock.ts';

const dayMs = 86_400_000;
const limit = 1_000;

export class FirstUses {
  readonly #clock: Clock;
  readonly #seen = new Set<string>();
  #begin: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begin = clock.monotonic();
  }

  /** Whether this was not used before on this day; false for all beyond the first thousand, which are not remembered. */
  isFirst(use: string): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#begin >= dayMs) {
      this.#seen.clear();
      this.#begin = now;
    }
    if (this.#seen.size >= limit || this.#seen.has(use)) return false;
    this.#seen.add(use);
    return true;
  }
}
