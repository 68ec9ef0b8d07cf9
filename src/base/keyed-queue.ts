/** Serializes work by key, in order; idle keys cost nothing. The queue is bounded by the number of callers. */
import { withoutSlot } from './slot-holder.ts';

/** State that work on a key hands over to the next. */
export interface Handoff<V> {
  /** The state of the previous work; undefined if there is none. */
  latest: V | undefined;
}

interface Queue<V> extends Handoff<V> {
  readonly waiting: (() => void)[];
}

export class KeyedQueue<V> {
  readonly #queues = new Map<string, Queue<V>>();

  /** Whether work on the key is in progress. */
  isBusy(key: string): boolean {
    return this.#queues.size > 0 && this.#queues.has(key);
  }

  /**
   * Runs `work` after all earlier work on the key; settles as it does. Releases the place of the work while it waits.
   */
  async run<T>(key: string, work: (handoff: Handoff<V>) => Promise<T>): Promise<T> {
    const taken = this.#queues.get(key);
    const queue = taken ?? { latest: undefined, waiting: [] };
    if (!taken) this.#queues.set(key, queue);
    try {
      if (taken) await withoutSlot(() => turn(taken));
      return await work(queue);
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else this.#queues.delete(key);
    }
  }
}

function turn(queue: Queue<unknown>): Promise<void> {
  return new Promise((resolve) => {
    queue.waiting.push(resolve);
  });
}
