/** Keeps work that nobody waits for at a share of the time, so that it takes turns with requests, here and in etcd. */
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';

/** Part of the time that is spent on the work. */
const share = 1 / 4;
/** Longest pause in milliseconds. */
const longestRest = 2_000;

export class Pace {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #since: number;

  /** The work begins now. */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#since = clock.monotonic();
  }

  /** Pauses for the work since the last pause. */
  async rest(): Promise<void> {
    const worked = this.#clock.monotonic() - this.#since;
    await pause(this.#clock, Math.min(longestRest, worked * (1 / share - 1)), this.#signal);
    this.#since = this.#clock.monotonic();
  }
}
