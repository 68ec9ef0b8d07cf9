/**
 * A budget that flows share fairly: each takes what its work weighs (bytes of a body, say) and gives it back. What does
 * not fit waits in the queue of its flow; flows take turns. A flow that has its share in use waits without holding up
 * the others.
 */
import { FairQueue, type QueueHolder, type QueueRefusal, type Verdict } from './fair-queue.ts';
import { FairShares } from './fair-shares.ts';

export interface FairBudgetLimits {
  /** What all may have in use together. */
  readonly total: number;
  /** What one flow may have in use. */
  readonly perFlow: number;
  /** How many may wait; more are refused. */
  readonly maxWaiting: number;
}

export class FairBudget {
  readonly #shares: FairShares;
  readonly #queue: FairQueue<number>;

  constructor({ total, perFlow, maxWaiting }: FairBudgetLimits) {
    this.#shares = new FairShares(total, perFlow);
    // What it asked for may have kept smaller work waiting.
    this.#queue = new FairQueue({ maxWaiting, onLeft: () => this.#grant() });
  }

  /** What is in use now. */
  get inUse(): number {
    return this.#shares.inUse;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Somebody waits for what others have in use, not for what is their own. */
  get isExhausted(): boolean {
    for (const [flow, weight] of this.#queue.heads()) if (!this.#shares.isAtLimit(flow, weight)) return true;
    return false;
  }

  /** Takes it if there is room and none waits for the same; false: not taken. */
  tryTake(flow: string, weight: number): boolean {
    if (this.#queue.size > 0 || !this.#shares.fits(flow, weight)) return false;
    this.#shares.take(flow, weight);
    return true;
  }

  /**
   * Takes the weight now or when it is this flow's turn. What weighs more than a limit has that limit to itself.
   * @returns undefined once it is taken (the caller gives it back), or why it was not
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

  /** Gives back what was taken; those who wait have their turn. */
  give(flow: string, weight: number): void {
    this.#shares.give(flow, weight);
    this.#grant();
  }

  /** Lets in as many as fit; none is passed over for its size. */
  #grant(): void {
    this.#queue.admit((flow, weight): Verdict => {
      if (this.#shares.isAtLimit(flow, weight)) return 'pass';
      if (!this.#shares.fits(flow, weight)) return 'stop';
      this.#shares.take(flow, weight);
      return 'admit';
    });
  }
}
