/** Exponential backoff with jitter. */
import type { Random } from './random.ts';

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Pick<Random, 'number'>;
  #failures = 0;

  constructor(options: BackoffOptions, random: Pick<Random, 'number'>) {
    this.#options = options;
    this.#random = random;
  }

  /** The pause before the next attempt: doubles with each call up to the maximum, between half and all of it. */
  nextMs(): number {
    const full = Math.min(this.#options.maxMs, this.#options.firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return full * (0.5 + this.#random.number() / 2);
  }

  /** After a success: the next pause is the first again. */
  reset(): void {
    this.#failures = 0;
  }
}
