/** A bounded queue in which flows take turns. Waits end by being let in, by time, or when nobody waits any more. */

/** How a wait may end without being let in: no room in the queue, time over, or nobody waits for it any more. */
export type QueueRefusal = 'queueFull' | 'timeout' | 'cancelled';

/** Whatever can say that the work is not wanted any more. */
export interface QueueHolder {
  onClose(action: () => void): void;
}

export interface QueueLimits {
  /** How many may wait; more are refused. */
  readonly maxWaiting: number;
  /** Called when one has gone without being let in: it may have kept others waiting. */
  readonly onLeft: () => void;
}

/** Let it in, go on with the next flow, or end the round. */
export type Verdict = 'admit' | 'pass' | 'stop';

interface Waiter<T> {
  readonly flow: string;
  readonly item: T;
  readonly grant: () => void;
}

export class FairQueue<T> {
  readonly #limits: QueueLimits;
  /** Waiters by flow; the order of the keys is the order of turns. */
  readonly #queues = new Map<string, Waiter<T>[]>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** How many wait now. */
  get size(): number {
    return this.#size;
  }

  /** The first of each flow, in the order of turns. */
  *heads(): Iterable<readonly [flow: string, item: T]> {
    for (const [flow, [next]] of this.#queues) if (next) yield [flow, next.item];
  }

  /** @returns undefined once it is let in, or why it was not */
  wait(
    flow: string,
    item: T,
    { holder, maxWaitMs }: { readonly holder: QueueHolder; readonly maxWaitMs: number },
  ): Promise<QueueRefusal | undefined> {
    if (this.#size >= this.#limits.maxWaiting) return Promise.resolve('queueFull');
    return new Promise((resolve) => {
      const end = (refusal: QueueRefusal | undefined): void => {
        clearTimeout(timer);
        resolve(refusal);
      };
      const waiter: Waiter<T> = { flow, item, grant: () => end(undefined) };
      const giveUp = (refusal: QueueRefusal): void => {
        if (this.#leave(waiter)) end(refusal);
      };
      const timer = setTimeout(() => giveUp('timeout'), maxWaitMs);
      holder.onClose(() => giveUp('cancelled'));
      this.#join(waiter);
    });
  }

  /** Asks about the first of each flow, and the next when that one is let in. A flow that had its turn is the last one from then on. */
  admit(judge: (flow: string, item: T) => Verdict): void {
    // A flow that is put last is come to once more.
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

  /** False: it waits no longer. */
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
