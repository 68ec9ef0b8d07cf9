/** The share of the body budget that one request holds, and the progress of its body. */
import type { PassiveClock } from '../base/clock.ts';
import type { StatusError } from '../meta/status.ts';

/** While the budget is exhausted, a body that arrives too slowly blocks other requests. */
export interface BodyPace {
  /** The pace is not checked before. */
  readonly graceMs: number;
  /** A body must arrive at a rate that completes it this long after the grace period. */
  readonly wholeMs: number;
}

export class BodyShare {
  readonly #bytes: number;
  readonly #refusal: () => StatusError;
  readonly #clock: Pick<PassiveClock, 'monotonic'>;
  #arrived = 0;
  #beganAt = Infinity;
  #refuse: ((error: StatusError) => void) | undefined;

  /** @param refusal makes the error of a body that is aborted */
  constructor(bytes: number, refusal: () => StatusError, clock: Pick<PassiveClock, 'monotonic'>) {
    this.#bytes = bytes;
    this.#refusal = refusal;
    this.#clock = clock;
  }

  /** Called when reading begins; `refuse` aborts the body. */
  begin(refuse: (error: StatusError) => void): void {
    this.#beganAt = this.#clock.monotonic();
    this.#refuse = refuse;
  }

  take(bytes: number): void {
    this.#arrived += bytes;
  }

  /** Called when the body is complete or aborted. */
  end(): void {
    this.#refuse = undefined;
  }

  /** Aborts the body if it arrives too slowly. */
  keepPace({ graceMs, wholeMs }: BodyPace): void {
    const due = (this.#clock.monotonic() - this.#beganAt - graceMs) / wholeMs;
    if (this.#refuse && this.#arrived < due * this.#bytes) this.#refuse(this.#refusal());
  }
}
