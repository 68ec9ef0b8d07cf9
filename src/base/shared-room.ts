/**
 * Room that the threads of a process share: no more is taken than the limit, by all together. While others wait, a thread takes
 * more than its part of the limit only when it looks again, which all do equally often, and only if none that waits has less.
 * So none refills for ever what it frees.
 */
import type { Clock, Timer } from './clock.ts';
import type { Count, Counts } from './counts.ts';

/** While something waits: between looks whether others have left room. */
const lookMs = 5;

export interface SharedRoomParts {
  readonly counts: Counts;
  readonly name: string;
  /** As that of `Counts.count`. */
  readonly unit?: number;
  readonly clock: Pick<Clock, 'setTimeout' | 'clear'>;
  /** Takes what fits, for something waits. */
  readonly onLook: () => void;
}

export class SharedRoom {
  readonly #parts: SharedRoomParts;
  readonly #taken: Count;
  readonly #waiting: Count;
  #timer: Timer | undefined;
  #isLooking = false;

  constructor(parts: SharedRoomParts) {
    const { counts, name, unit } = parts;
    this.#parts = parts;
    this.#taken = counts.count(`${name} taken`, unit);
    this.#waiting = counts.count(`${name} waiting`);
  }

  /** What this thread has taken. */
  get own(): number {
    return this.#taken.own;
  }

  /** What all threads have taken. */
  get taken(): number {
    return this.#taken.total;
  }

  /** What all threads have taken, or wait for. */
  get demand(): number {
    return this.#taken.total + this.#waiting.total;
  }

  /** Something of more weight than the limit has to be alone. */
  tryTake(weight: number, limit: number): boolean {
    if (this.#isOthersTurn(weight, limit)) return false;
    const wasEmpty = this.#taken.total === 0;
    this.#taken.add(weight);
    const { total, own } = this.#taken;
    if (total <= limit || (wasEmpty && total === own)) return true;
    this.#taken.add(-weight);
    return false;
  }

  give(weight: number): void {
    this.#taken.add(-weight);
  }

  /** So much waits in this thread. */
  setWaiting(weight: number): void {
    const more = weight - this.#waiting.own;
    if (more !== 0) this.#waiting.add(more);
    if (this.#parts.counts.threads > 1 && this.#waiting.own > 0) this.#timer ??= this.#lookLater();
  }

  #isOthersTurn(weight: number, limit: number): boolean {
    const { threads } = this.#parts.counts;
    if (threads === 1 || this.#waiting.total === this.#waiting.own) return false;
    const { own, all } = this.#taken;
    if (own + weight <= limit / threads) return false;
    return !this.#isLooking || this.#waiting.all.some((waits, i) => waits > 0 && (all[i] ?? 0) < own);
  }

  #lookLater(): Timer {
    const timer = this.#parts.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#isLooking = true;
      try {
        this.#parts.onLook();
      } finally {
        this.#isLooking = false;
      }
      if (this.#waiting.own > 0) this.#timer ??= this.#lookLater();
    }, lookMs);
    timer.unref();
    return timer;
  }
}
