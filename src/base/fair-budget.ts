/**
 * A budget that flows share fairly: work reserves its weight (bytes of a body) and releases it. Work that does not
 * fit waits in the queue of its flow; flows are served round-robin. A flow at its limit waits without blocking
 * others.
 */
import type { Clock } from './clock.ts';
import { FairQueue, type QueueHolder, type QueueRefusal, type Verdict } from './fair-queue.ts';
import { FairShares } from './fair-shares.ts';

export interface FairBudgetLimits {
  /** Total limit. */
  readonly total: number;
  /** Limit of one flow. */
  readonly perFlow: number;
  /** Maximum queue length; more are rejected. */
  readonly maxWaiting: number;
}

export class FairBudget {
  readonly #shares: FairShares;
  readonly #queue: FairQueue<number>;

  constructor({ total, perFlow, maxWaiting }: FairBudgetLimits, clock: Clock) {
    this.#shares = new FairShares(total, perFlow);
    // The removed item may have blocked smaller ones.
    this.#queue = new FairQueue({ clock, maxWaiting, onLeft: () => this.#grant() });
  }

  /** The weight in use. */
  get inUse(): number {
    return this.#shares.inUse;
  }

  /** Number of waiting items. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether an item waits for the total limit, not for that of its own flow. */
  get isExhausted(): boolean {
    for (const [flow, weight] of this.#queue.heads()) if (!this.#shares.isAtLimit(flow, weight)) return true;
    return false;
  }

  /** Reserves the weight if it fits and nothing waits for it; returns false otherwise. */
  tryTake(flow: string, weight: number): boolean {
    if (this.#queue.size > 0 || !this.#shares.fits(flow, weight)) return false;
    this.#shares.take(flow, weight);
    return true;
  }

  /**
   * Reserves the weight now or when it is the turn of this flow. Work heavier than a limit gets the whole limit.
   * @returns undefined once it is reserved (the caller releases it), otherwise the refusal
   */
  take(
    flow: string,
    weight: number,
    holder: QueueHolder,
    maxWaitMs: number,
  ): Promise<QueueRefusal | undefined> {
    if (this.tryTake(flow, weight)) return Promise.resolve(undefined);
    const waiting = this.#queue.wait(flow, weight, { holder, maxWaitMs });
    this.#grant();
    return waiting;
  }

  /** Releases the weight and admits waiting items. */
  give(flow: string, weight: number): void {
    this.#shares.give(flow, weight);
    this.#grant();
  }

  /** Admits as many as fit; none is skipped for its size. */
  #grant(): void {
    this.#queue.admit((flow, weight): Verdict => {
      if (this.#shares.isAtLimit(flow, weight)) return 'pass';
      if (!this.#shares.fits(flow, weight)) return 'stop';
      this.#shares.take(flow, weight);
      return 'admit';
    });
  }
}
