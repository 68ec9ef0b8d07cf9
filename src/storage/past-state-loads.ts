/**
 * Reads of earlier states out of the history of etcd: some at a time, equal ones shared. Each reads a namespace or a whole collection,
 * and a busy etcd takes seconds for it: who would wait too long is refused, and may try again.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { StorageError, type Lifetime } from './types.ts';

/** States that are read at once: each is in memory as a whole. */
const mostAtOnce = 4;
/** Different states that wait. */
const mostWaiting = 100;
/** Time that a state may wait until its read begins: with that of the read itself, well below that of a request. */
const longestWaitMs = 15_000;

interface Load<T> {
  readonly read: () => Promise<T>;
  readonly settled: PromiseWithResolvers<T>;
  /** Requests that wait for it. */
  readonly callers: Lifetime[];
  /** Set while it waits. */
  timer: Timer | undefined;
}

export class PastStateLoads<T> {
  readonly #clock: Clock;
  /** By the name of their state. */
  readonly #loads = new Map<string, Load<T>>();
  /** Names of those that have not begun, in order. */
  readonly #waiting = new Set<string>();
  #reading = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The state that `read` gives, or that of a read of the same name that is under way.
   * @throws StorageError `busy` if it cannot begin in time, `timeout` if all requests for it were over before; as `read`
   */
  load(name: string, lifetime: Lifetime, read: () => Promise<T>): Promise<T> {
    const known = this.#loads.get(name);
    if (known) {
      known.callers.push(lifetime);
      return known.settled.promise;
    }
    if (this.#waiting.size >= mostWaiting) return Promise.reject(tooBusy());
    const load: Load<T> = {
      ...{ read, settled: Promise.withResolvers<T>() },
      ...{ callers: [lifetime], timer: undefined },
    };
    this.#loads.set(name, load);
    if (this.#reading < mostAtOnce) void this.#begin(name, load);
    else this.#enqueue(name, load);
    return load.settled.promise;
  }

  #enqueue(name: string, load: Load<T>): void {
    this.#waiting.add(name);
    load.timer = this.#clock.setTimeout(() => {
      this.#waiting.delete(name);
      this.#loads.delete(name);
      load.settled.reject(tooBusy());
    }, longestWaitMs);
    load.timer.unref();
  }

  /** Never rejects. */
  async #begin(name: string, load: Load<T>): Promise<void> {
    this.#reading += 1;
    try {
      load.settled.resolve(await load.read());
    } catch (error) {
      load.settled.reject(error);
    } finally {
      this.#loads.delete(name);
      this.#reading -= 1;
      this.#next();
    }
  }

  #next(): void {
    for (const name of this.#waiting) {
      if (this.#reading >= mostAtOnce) return;
      this.#waiting.delete(name);
      const load = this.#loads.get(name);
      if (!load) continue;
      if (load.timer) this.#clock.clear(load.timer);
      if (load.callers.some(({ aborted }) => !aborted)) void this.#begin(name, load);
      else this.#leave(name, load);
    }
  }

  /** No reader waits for it any more. */
  #leave(name: string, { settled, callers }: Load<T>): void {
    this.#loads.delete(name);
    const [first] = callers;
    settled.reject(
      new StorageError('timeout', 'the request ended before its answer', { cause: first?.reason }),
    );
  }
}

function tooBusy(): StorageError {
  return new StorageError('busy', 'too many earlier states are read at the moment');
}
