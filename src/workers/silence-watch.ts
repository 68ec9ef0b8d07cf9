/**
 * Tells when a process has given no sign of life for a time. The time is counted in parts by a timer of this process, one
 * for each look: where this process itself stood still (the machine was suspended or is starved), that is one part, however
 * long it took.
 */
import type { Clock, Timer } from '../base/clock.ts';

const parts = 20;

export class SilenceWatch {
  readonly #clock: Clock;
  readonly #timer: Timer;
  #left = parts;

  /** @param onSilent called once, after `ms` without a sign of life */
  constructor(clock: Clock, ms: number, onSilent: () => void) {
    this.#clock = clock;
    this.#timer = clock.setInterval(() => {
      this.#left -= 1;
      if (this.#left > 0) return;
      this.stop();
      onSilent();
    }, ms / parts);
  }

  /** A sign of life: the count begins again. */
  heard(): void {
    this.#left = parts;
  }

  /** Idempotent. */
  stop(): void {
    this.#clock.clear(this.#timer);
  }
}
