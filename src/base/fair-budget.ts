/**
 * A budget that flows share fairly: work reserves its weight (bytes of a body) and releases it. Work that does not
 * fit waits in the queue of its flow; flows are served round-robin. A flow at its limit waits without blocking
 * others.
 */
import type { Clock } from './clock.ts';
import { ownCounts, type Counts, type KeyedCount } from './counts.ts';
import { FairQueue, type QueueHolder, type QueueRefusal, type Verdict } from './fair-queue.ts';
import { SharedRoom } from './shared-room.ts';

export interface FairBudgetLimits {
  /** Total limit. */
  readonly total: number;
  /** Limit of one flow. */
  readonly perFlow: number;
  /** Maximum queue length; more are rejected. */
  readonly maxWaiting: number;
  /** What all threads of the process have together; absent: there is one. */
  readonly counts?: Counts;
}

/** Counts of all threads are rounded up to so many bytes. */
const unit = 1_024;

export class FairBudget {
  readonly #limits: FairBudgetLimits;
  readonly #room: SharedRoom;
  readonly #flows: KeyedCount;
  readonly #queue: FairQueue<number>;

  /** @param name of the budget, the same in all threads */
  constructor(limits: FairBudgetLimits, clock: Clock, name = '') {
    const { maxWaiting, counts = ownCounts } = limits;
    this.#limits = limits;
    this.#room = new SharedRoom({ counts, name, unit, clock, onLook: () => this.#grant() });
    this.#flows = counts.keyed(`${name} by flow`, unit);
    // The removed item may have blocked smaller ones.
    this.#queue = new FairQueue({ clock, maxWaiting, onLeft: () => this.#grant() });
  }

  /** The weight in use by this thread. */
  get inUse(): number {
    return this.#room.own;
  }

  /** Number of waiting items. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether an item waits for the total limit, not for that of its own flow. */
  get isExhausted(): boolean {
    for (const [flow, weight] of this.#queue.heads()) if (!this.#isAtLimit(flow, weight)) return true;
    return false;
  }

  /** Reserves the weight if it fits and nothing waits for it; returns false otherwise. */
  tryTake(flow: string, weight: number): boolean {
    return this.#queue.size === 0 && !this.#isAtLimit(flow, weight) && this.#takeNow(flow, weight);
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
    this.#room.give(weight);
    this.#flows.add(flow, -weight);
    this.#grant();
  }

  /** Admits as many as fit; none is skipped for its size. */
  #grant(): void {
    this.#queue.admit((flow, weight): Verdict => {
      if (this.#isAtLimit(flow, weight)) return 'pass';
      return this.#takeNow(flow, weight) ? 'admit' : 'stop';
    });
    this.#room.setWaiting(this.#queue.size);
  }

  #takeNow(flow: string, weight: number): boolean {
    const isTaken = this.#room.tryTake(weight, this.#limits.total);
    if (isTaken) this.#flows.add(flow, weight);
    return isTaken;
  }

  /** Whether the flow would exceed its limit; a single item always fits an idle one. */
  #isAtLimit(flow: string, weight: number): boolean {
    const used = this.#flows.total(flow);
    return used > 0 && used + weight > this.#limits.perFlow;
  }
}
