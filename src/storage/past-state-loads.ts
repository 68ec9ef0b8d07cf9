/**
 * Reads of earlier states out of the history of etcd: some at a time, users in turn, equal ones shared. Each reads a namespace or a
 * whole collection, and a busy etcd takes seconds for it: who would wait too long is refused, and may try again.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { FairShares } from '../base/fair-shares.ts';
import { StorageError, type Lifetime } from './types.ts';

/** States that are read at once: each is in memory as a whole. */
const mostAtOnce = 4;
/** For one user: the read of another need not wait until one of theirs ends. */
const mostAtOnceOfFlow = 3;
/** Different states that wait. */
const mostWaiting = 100;
/** For one user. */
const mostWaitingOfFlow = 50;
/** Time that a state may wait until its read begins: with that of the read itself, well below that of a request. */
const longestWaitMs = 15_000;

/** A request for a state. */
export interface Caller {
  /** Its user. */
  readonly flow: string;
  readonly lifetime: Lifetime;
}

interface Load<T> {
  readonly read: () => Promise<T>;
  readonly settled: PromiseWithResolvers<T>;
  /** Requests that wait for it. */
  readonly callers: Caller[];
  /** Set while it waits. */
  timer: Timer | undefined;
}

export class PastStateLoads<T> {
  readonly #clock: Clock;
  /** By the name of their state. */
  readonly #loads = new Map<string, Load<T>>();
  /** Names of those that have not begun, in order, by each flow that asks for them; the flow whose turn it is comes first. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #reading = new FairShares(mostAtOnce, mostAtOnceOfFlow);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The state that `read` gives, or that of a read of the same name that is under way.
   * @throws StorageError `busy` if it cannot begin in time, `timeout` if all requests for it were over before; as `read`
   */
  load(name: string, caller: Caller, read: () => Promise<T>): Promise<T> {
    const known = this.#loads.get(name);
    if (known) {
      known.callers.push(caller);
      if (known.timer) this.#enqueue(name, caller);
      return known.settled.promise;
    }
    const isFree = this.#reading.fits(caller.flow, 1);
    if (!isFree && this.#isFull(caller)) return Promise.reject(tooBusy());
    const load: Load<T> = {
      ...{ read, settled: Promise.withResolvers<T>() },
      ...{ callers: [caller], timer: undefined },
    };
    this.#loads.set(name, load);
    if (isFree) void this.#begin(name, load, caller.flow);
    else this.#wait(name, load, caller);
    return load.settled.promise;
  }

  #isFull({ flow }: Caller): boolean {
    const waiting = this.#loads.size - this.#reading.inUse;
    return waiting >= mostWaiting || (this.#waiting.get(flow)?.size ?? 0) >= mostWaitingOfFlow;
  }

  #wait(name: string, load: Load<T>, caller: Caller): void {
    this.#enqueue(name, caller);
    load.timer = this.#clock.setTimeout(() => {
      this.#dequeue(name, load);
      this.#loads.delete(name);
      load.settled.reject(tooBusy());
    }, longestWaitMs);
    load.timer.unref();
  }

  #enqueue(name: string, { flow }: Caller): void {
    const names = this.#waiting.get(flow) ?? new Set();
    this.#waiting.set(flow, names.add(name));
  }

  #dequeue(name: string, { callers }: Load<T>): void {
    for (const { flow } of callers) {
      const names = this.#waiting.get(flow);
      names?.delete(name);
      if (names?.size === 0) this.#waiting.delete(flow);
    }
  }

  /** Never rejects. */
  async #begin(name: string, load: Load<T>, flow: string): Promise<void> {
    this.#reading.take(flow, 1);
    try {
      load.settled.resolve(await load.read());
    } catch (error) {
      load.settled.reject(error);
    } finally {
      this.#loads.delete(name);
      this.#reading.give(flow, 1);
      this.#next();
    }
  }

  /** Begins what may begin: a flow that has had its turn comes last, and is met again. */
  #next(): void {
    for (const [flow, names] of this.#waiting) {
      if (!this.#reading.fits(flow, 1)) continue;
      const [name = ''] = names;
      names.delete(name);
      const load = this.#loads.get(name);
      if (load) this.#takeOut(name, load, flow);
      if (names.size === 0) continue;
      this.#waiting.delete(flow);
      this.#waiting.set(flow, names);
    }
  }

  #takeOut(name: string, load: Load<T>, flow: string): void {
    this.#dequeue(name, load);
    if (load.timer) this.#clock.clear(load.timer);
    load.timer = undefined;
    if (load.callers.some(({ lifetime }) => !lifetime.aborted)) void this.#begin(name, load, flow);
    else this.#leave(name, load);
  }

  /** No reader waits for it any more. */
  #leave(name: string, { settled, callers }: Load<T>): void {
    this.#loads.delete(name);
    const [first] = callers;
    settled.reject(
      new StorageError('timeout', 'the request ended before its answer', { cause: first?.lifetime.reason }),
    );
  }
}

function tooBusy(): StorageError {
  return new StorageError('busy', 'too many earlier states are read at the moment');
}
