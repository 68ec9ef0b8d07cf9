/**
 * A budget that flows share fairly: each takes what its work weighs (bytes of a body, say) and gives it back. What does
 * not fit waits in the queue of its flow; flows take turns. A flow that has its share in use waits without holding up
 * the others.
 */
export interface FairBudgetLimits {
  /** What all may have in use together. */
  readonly total: number;
  /** What one flow may have in use. */
  readonly perFlow: number;
  /** How many may wait; more are refused. */
  readonly maxWaiting: number;
}

/** How a wait may end without the budget: no room in the queue, time over, or nobody waits for it any more. */
export type BudgetRefusal = 'queueFull' | 'timeout' | 'cancelled';

/** Whatever can say that the work is not wanted any more. */
export interface BudgetHolder {
  onClose(action: () => void): void;
}

interface Waiter {
  readonly flow: string;
  readonly weight: number;
  readonly grant: () => void;
}

export class FairBudget {
  readonly #limits: FairBudgetLimits;
  readonly #used = new Map<string, number>();
  /** Waiters by flow; the order of the keys is the order of turns. */
  readonly #queues = new Map<string, Waiter[]>();
  #inUse = 0;
  #waiting = 0;

  constructor(limits: FairBudgetLimits) {
    this.#limits = limits;
  }

  /** What is in use now. */
  get inUse(): number {
    return this.#inUse;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Somebody waits for what others have in use, not for what is their own. */
  get isExhausted(): boolean {
    for (const [flow, [next]] of this.#queues) if (next && !this.#isAtLimit(flow, next.weight)) return true;
    return false;
  }

  /** Takes it if there is room and none waits for the same; false: not taken. */
  tryTake(flow: string, weight: number): boolean {
    if (this.#waiting > 0 || !this.#fits(flow, weight)) return false;
    this.#take(flow, weight);
    return true;
  }

  /**
   * Takes the weight now or when it is this flow's turn. What weighs more than a limit has that limit to itself.
   * @returns undefined once it is taken (the caller gives it back), or why it was not
   */
  take(
    flow: string,
    weight: number,
    holder: BudgetHolder,
    maxWaitMs: number,
  ): Promise<BudgetRefusal | undefined> {
    if (this.tryTake(flow, weight)) return Promise.resolve(undefined);
    if (this.#waiting >= this.#limits.maxWaiting) return Promise.resolve('queueFull');
    return new Promise((resolve) => {
      const end = (refusal: BudgetRefusal | undefined): void => {
        clearTimeout(timer);
        resolve(refusal);
      };
      const waiter: Waiter = { flow, weight, grant: () => end(undefined) };
      const giveUp = (refusal: BudgetRefusal): void => {
        if (this.#leave(waiter)) end(refusal);
      };
      const timer = setTimeout(() => giveUp('timeout'), maxWaitMs);
      holder.onClose(() => giveUp('cancelled'));
      this.#join(waiter);
      this.#grant();
    });
  }

  /** Gives back what was taken; those who wait have their turn. */
  give(flow: string, weight: number): void {
    const left = (this.#used.get(flow) ?? 0) - weight;
    if (left > 0) this.#used.set(flow, left);
    else this.#used.delete(flow);
    this.#inUse -= weight;
    this.#grant();
  }

  #fits(flow: string, weight: number): boolean {
    const used = this.#used.get(flow) ?? 0;
    const { total, perFlow } = this.#limits;
    return (this.#inUse === 0 || this.#inUse + weight <= total) && (used === 0 || used + weight <= perFlow);
  }

  #take(flow: string, weight: number): void {
    this.#used.set(flow, (this.#used.get(flow) ?? 0) + weight);
    this.#inUse += weight;
  }

  #join(waiter: Waiter): void {
    const queue = this.#queues.get(waiter.flow);
    if (queue) queue.push(waiter);
    else this.#queues.set(waiter.flow, [waiter]);
    this.#waiting += 1;
  }

  /** False: it waits no longer. */
  #leave(waiter: Waiter): boolean {
    const queue = this.#queues.get(waiter.flow);
    const at = queue?.indexOf(waiter) ?? -1;
    if (!queue || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(waiter.flow);
    this.#waiting -= 1;
    // What it asked for may have kept smaller work waiting.
    this.#grant();
    return true;
  }

  /** Lets in as many as fit. A flow that had its turn is the last one from then on; none is passed over for its size. */
  #grant(): void {
    for (const [flow, queue] of [...this.#queues]) {
      const [next] = queue;
      if (!next || this.#isAtLimit(flow, next.weight)) continue;
      if (!this.#fits(flow, next.weight)) return;
      queue.shift();
      this.#queues.delete(flow);
      if (queue.length > 0) this.#queues.set(flow, queue);
      this.#waiting -= 1;
      this.#take(flow, next.weight);
      next.grant();
    }
  }

  #isAtLimit(flow: string, weight: number): boolean {
    const used = this.#used.get(flow) ?? 0;
    return used > 0 && used + weight > this.#limits.perFlow;
  }
}
