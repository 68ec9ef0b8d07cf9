/** A bounded queue that serves flows round-robin. A wait ends by admission, timeout or cancellation. */

import { steadyOf, type Clock } from './clock.ts';

/** Why a wait ended without admission: queue full, timeout, or cancelled. */
export type QueueRefusal = 'queueFull' | 'timeout' | 'cancelled';

/** The owner of the work, which may cancel it. */
export interface QueueHolder {
  onClose(action: () => void): void;
}

export interface QueueLimits {
  readonly clock: Clock;
  /** Maximum queue length; more are rejected. */
  readonly maxWaiting: number;
  /** Called when an item leaves without admission: it may have blocked others. */
  readonly onLeft: () => void;
}

/** Admit it, continue with the next flow, or end the round. */
export type Verdict = 'admit' | 'pass' | 'stop';

interface Waiter<T> {
  readonly flow: string;
  readonly item: T;
  readonly grant: () => void;
}

export class FairQueue<T> {
  readonly #limits: QueueLimits;
  /** Waiters by flow; keys are in round-robin order. */
  readonly #queues = new Map<string, Waiter<T>[]>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#size;
  }

  /** The first item of each flow, in round-robin order. */
  *heads(): Iterable<readonly [flow: string, item: T]> {
    for (const [flow, [next]] of this.#queues) if (next) yield [flow, next.item];
  }

  /** @returns undefined once it is admitted, otherwise the refusal */
  wait(
    flow: string,
    item: T,
    { holder, maxWaitMs }: { readonly holder: QueueHolder; readonly maxWaitMs: number },
  ): Promise<QueueRefusal | undefined> {
    if (this.#size >= this.#limits.maxWaiting) return Promise.resolve('queueFull');
    const clock = steadyOf(this.#limits.clock);
    return new Promise((resolve) => {
      const end = (refusal: QueueRefusal | undefined): void => {
        clock.clear(timer);
        resolve(refusal);
      };
      const waiter: Waiter<T> = { flow, item, grant: () => end(undefined) };
      const giveUp = (refusal: QueueRefusal): void => {
        if (this.#leave(waiter)) end(refusal);
      };
      const timer = clock.setTimeout(() => giveUp('timeout'), maxWaitMs);
      holder.onClose(() => giveUp('cancelled'));
      this.#join(waiter);
    });
  }

  /** Judges the first item of each flow, and the next one after an admission. A served flow moves to the end. */
  admit(judge: (flow: string, item: T) => Verdict): void {
    // A flow moved to the end is visited again.
    for (const [flow, queue] of this.#queues) {
      const [next] = queue;
      const verdict = next ? judge(flow, next.item) : 'pass';
      if (verdict === 'stop') return;
      if (verdict === 'pass') continue;
      queue.shift();
      this.#queues.delete(flow);
      if (queue.length > 0) this.#queues.set(flow, queue);
      this.#size -= 1;
      next?.grant();
    }
  }

  #join(waiter: Waiter<T>): void {
    const queue = this.#queues.get(waiter.flow);
    if (queue) queue.push(waiter);
    else this.#queues.set(waiter.flow, [waiter]);
    this.#size += 1;
  }

  /** Returns false if it is no longer waiting. */
  #leave(waiter: Waiter<T>): boolean {
    const queue = this.#queues.get(waiter.flow);
    const at = queue?.indexOf(waiter) ?? -1;
    if (!queue || at < 0) return false;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(waiter.flow);
    this.#size -= 1;
    this.#limits.onLeft();
    return true;
  }
}
