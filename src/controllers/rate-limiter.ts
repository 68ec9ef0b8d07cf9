/**
 * How soon failed work is tried again (client-go's DefaultControllerRateLimiter): each key waits twice as long with each
 * failure in a row, and all keys together are tried so many times a second. No wait is longer than a minute, as in the
 * namespace controller of the reference, so that what was repaired is noticed.
 */
import type { PassiveClock } from '../base/clock.ts';

const firstPauseMs = 5;
const longestPauseMs = 60_000;
const retriesPerSecond = 10;
const burst = 100;

export class RateLimiter<K> {
  readonly #clock: PassiveClock;
  readonly #failures = new Map<K, number>();
  /** When all retries that were granted so far would have been made at the steady rate. */
  #spentUntil = -Infinity;

  constructor(clock: PassiveClock) {
    this.#clock = clock;
  }

  /** Failures in a row. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Keys that failed and did not succeed since. */
  get size(): number {
    return this.#failures.size;
  }

  /** Notes a failure. @returns how long to wait before the next attempt */
  nextMs(key: K): number {
    const before = this.failures(key);
    this.#failures.set(key, before + 1);
    return Math.min(Math.max(firstPauseMs * 2 ** before, this.#sharedMs()), longestPauseMs);
  }

  /** The key succeeded, or is not to be tried again. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** How long until the retries of all keys together are back at their rate; what goes beyond the longest is forgiven. */
  #sharedMs(): number {
    const eachMs = 1000 / retriesPerSecond;
    const now = this.#clock.monotonic();
    const earliest = now - (burst - 1) * eachMs;
    this.#spentUntil = Math.min(Math.max(this.#spentUntil + eachMs, earliest), now + longestPauseMs);
    return Math.max(this.#spentUntil - now, 0);
  }
}
