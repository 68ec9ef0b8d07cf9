/** How the body of a request comes along that has bytes of the budget in use. */
import type { StatusError } from '../meta/status.ts';

/** Where the budget is exhausted, a body that comes too slowly keeps others waiting. */
export interface BodyPace {
  /** Nobody is judged before. */
  readonly graceMs: number;
  /** A body must come as fast as if it were to be whole this long after the grace. */
  readonly wholeMs: number;
}

export class BodyShare {
  readonly #bytes: number;
  readonly #refusal: () => StatusError;
  #arrived = 0;
  #beganAt = Infinity;
  #refuse: ((error: StatusError) => void) | undefined;

  /** @param refusal what a body is refused with that keeps others waiting */
  constructor(bytes: number, refusal: () => StatusError) {
    this.#bytes = bytes;
    this.#refusal = refusal;
  }

  /** The body is read from now on; `refuse` gives it up. */
  begin(refuse: (error: StatusError) => void): void {
    this.#beganAt = performance.now();
    this.#refuse = refuse;
  }

  take(bytes: number): void {
    this.#arrived += bytes;
  }

  /** It is whole, or given up. */
  end(): void {
    this.#refuse = undefined;
  }

  /** Gives the body up when it comes slower than that. */
  keepPace({ graceMs, wholeMs }: BodyPace): void {
    const due = (performance.now() - this.#beganAt - graceMs) / wholeMs;
    if (this.#refuse && this.#arrived < due * this.#bytes) this.#refuse(this.#refusal());
  }
}
