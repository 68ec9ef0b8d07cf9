/** Work on the same key takes turns, in order; keys that nobody works on cost nothing. The queue is its callers. */
import { aside } from './aside.ts';

/** What those who take turns on a key leave for each other. */
export interface Lane<V> {
  /** Left by the one before; undefined: nothing. */
  latest: V | undefined;
}

interface Queue<V> extends Lane<V> {
  readonly waiting: (() => void)[];
}

export class Turns<V> {
  readonly #queues = new Map<string, Queue<V>>();

  /** True while somebody has the turn of a key. */
  isTaken(key: string): boolean {
    return this.#queues.size > 0 && this.#queues.has(key);
  }

  /** Runs `work` when all who came before are done; resolves or rejects as it does. Work that waits is without its place meanwhile. */
  async use<T>(key: string, work: (lane: Lane<V>) => Promise<T>): Promise<T> {
    const taken = this.#queues.get(key);
    const queue = taken ?? { latest: undefined, waiting: [] };
    if (!taken) this.#queues.set(key, queue);
    try {
      if (taken) await aside(() => turn(taken));
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
