/** Detects the first use of a day, to bound the number of log lines. */
import type { PassiveClock } from '../../base/clock.ts';

const dayMs = 86_400_000;
const limit = 1_000;

export class FirstUses {
  readonly #clock: PassiveClock;
  readonly #seen = new Set<string>();
  #begin: number;

  constructor(clock: PassiveClock) {
    this.#clock = clock;
    this.#begin = clock.monotonic();
  }

  /** Whether this is the first use on this day; false beyond a thousand remembered uses. */
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
