/**
 * Changes of an index in portions: a few small ones take effect at once, the rest in later turns of the event loop, large
 * ones about one in a turn. A role or binding of a megabyte takes milliseconds to read, and a hundred aggregated roles may
 * change together.
 *
 * What waits is at most one change for each object, the newest. What is deleted is gone at once.
 */
import { laterTurn, Slice, turnFor } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Entry, Lifetime, ObjectKey } from '../storage/types.ts';

/** Changes of at most so many bytes take effect in the turn in which they arrive. */
const turnBytes = 32 * 1024;

interface Change {
  readonly number: number;
  readonly entry: Entry;
  /** The object was there before. */
  readonly isUpdate: boolean;
}

export interface BacklogIndex {
  /** Does not throw. */
  put(entry: Entry, isUpdate: boolean): void;
  /** What puts an object into the index; it may be read in slices first. Does not throw. */
  prepare(entry: Entry, isUpdate: boolean): MaybePromise<() => void>;
  remove(key: ObjectKey): void;
}

export class EventBacklog {
  readonly #index: BacklogIndex;
  /** In the order of arrival of the first change of each object. */
  readonly #waiting = new Map<ObjectKey, Change>();
  #newest = 0;
  #isWorking = false;
  /** What may still take effect at once in this turn. */
  #left = turnBytes;

  constructor(index: BacklogIndex) {
    this.#index = index;
  }

  put(entry: Entry, isUpdate: boolean): void {
    const { key, bytes } = entry;
    const before = this.#waiting.get(key);
    if (before)
      this.#waiting.set(key, { entry, isUpdate: isUpdate && before.isUpdate, number: before.number });
    else if (this.#waiting.size === 0 && bytes.length <= this.#left) this.#putAtOnce(entry, isUpdate);
    else {
      this.#newest += 1;
      this.#waiting.set(key, { entry, isUpdate, number: this.#newest });
      if (!this.#isWorking) void this.#work();
    }
  }

  remove(key: ObjectKey): void {
    this.#waiting.delete(key);
    this.#index.remove(key);
  }

  /** Forgets what waits: a newer state replaces it. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Resolves when all changes from before the call have taken effect, or the lifetime is over. */
  async applied(lifetime: Lifetime): Promise<void> {
    const newest = this.#newest;
    while ((this.#next()?.number ?? Infinity) <= newest && !lifetime.aborted) await laterTurn();
  }

  #next(): Change | undefined {
    const [next] = this.#waiting.values();
    return next;
  }

  #putAtOnce(entry: Entry, isUpdate: boolean): void {
    if (this.#left === turnBytes) void laterTurn().then(() => (this.#left = turnBytes));
    this.#left -= entry.bytes.length;
    this.#index.put(entry, isUpdate);
  }

  /** Runs until nothing waits. Each change is looked at when it is its turn: a newer one may have replaced it. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    await laterTurn();
    const slice = new Slice();
    for (let next = this.#next(); next; next = this.#next()) {
      await turnFor(next.entry.bytes.length);
      await slice.breathe();
      await this.#putNext();
    }
    this.#isWorking = false;
  }

  /** While an object is read it still waits: a newer change, or its end, replaces it. */
  async #putNext(): Promise<void> {
    const next = this.#next();
    if (!next) return;
    const { entry, isUpdate } = next;
    const take = await this.#index.prepare(entry, isUpdate);
    if (this.#waiting.get(entry.key) !== next) return;
    this.#waiting.delete(entry.key);
    take();
  }
}
