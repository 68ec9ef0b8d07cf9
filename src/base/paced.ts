/** Work that follows changes, and takes the longer the more there is: many changes must not make it many times. */
import type { Clock, Timer } from './clock.ts';
import { coalesced } from './coalesced.ts';
import { whenReady, type MaybePromise } from './maybe-promise.ts';

/** The work waits so many times as long as it took: it takes a twentieth of the time at most. */
const restFactor = 20;
/** Longest rest in milliseconds. */
const mostRestMs = 2_000;

/**
 * Runs an action once after several calls in one turn of the event loop, and then again only after a rest that is in
 * proportion to the time it took. Calls while it runs, and during the rest, are one call at the end of the rest.
 */
export class Paced {
  readonly #action: () => MaybePromise<void>;
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>;
  readonly #runSoon = coalesced(() => this.#run());
  #isDue = false;
  #isRunning = false;
  #isOver = false;
  #restsUntil = -Infinity;
  #timer: Timer | undefined;

  /** `action` must neither throw nor reject. */
  constructor(action: () => MaybePromise<void>, clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>) {
    this.#action = action;
    this.#clock = clock;
  }

  /** The action is to run soon. */
  note(): void {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    if (!this.#isRunning) this.#plan();
  }

  /** The action does not run again. */
  close(): void {
    this.#isOver = true;
    this.#clock.clear(this.#timer);
  }

  #plan(): void {
    const restMs = this.#restsUntil - this.#clock.monotonic();
    if (restMs > 0) this.#timer = this.#clock.setTimeout(() => this.#run(), restMs);
    else this.#runSoon();
  }

  #run(): void {
    if (this.#isOver) return;
    this.#isDue = false;
    this.#isRunning = true;
    this.#timer = undefined;
    const started = this.#clock.monotonic();
    void whenReady(this.#action(), () => {
      this.#ended(started);
    });
  }

  #ended(started: number): void {
    const ended = this.#clock.monotonic();
    this.#isRunning = false;
    this.#restsUntil = ended + Math.min(mostRestMs, (ended - started) * restFactor);
    if (this.#isDue && !this.#isOver) this.#plan();
  }
}
