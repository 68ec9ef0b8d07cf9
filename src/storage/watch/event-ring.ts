/** The recent events of a collection, in revision order. */
import { sizeOf } from '../size.ts';
import type { Revision, StoredEvent } from '../types.ts';

/** Overhead of an event besides its bytes. */
const eventOverhead = 256;

export class EventRing {
  /** All events after this revision are in the ring. */
  #floor: Revision;
  /** Dropped ones are undefined. */
  #events: (StoredEvent | undefined)[] = [];
  /** Events before this index are dropped; the array is trimmed occasionally. */
  #start = 0;
  #bytes = 0;

  constructor(floor: Revision) {
    this.#floor = floor;
  }

  get floor(): Revision {
    return this.#floor;
  }

  /** Revision of the newest event; undefined if there is none. */
  get last(): Revision | undefined {
    return this.size === 0 ? undefined : this.#events.at(-1)?.revision;
  }

  get size(): number {
    return this.#events.length - this.#start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += costOf(event);
  }

  /** Prepends history: all events after `floor` up to the start of the ring. */
  prepend(events: readonly StoredEvent[], floor: Revision): void {
    this.#events = [...events, ...this.#events.slice(this.#start)];
    this.#start = 0;
    this.#floor = floor;
    for (const event of events) this.#bytes += costOf(event);
  }

  /** About `most` events after a revision, never splitting a revision. */
  after(revision: Revision, most: number): StoredEvent[] {
    const from = this.#indexAfter(revision);
    let to = Math.min(from + most, this.#events.length);
    while (
      to > from &&
      to < this.#events.length &&
      this.#events[to]?.revision === this.#events[to - 1]?.revision
    ) {
      to += 1;
    }
    return this.#events.slice(from, to).filter((event) => event !== undefined);
  }

  /** Drops the oldest revision. */
  dropOldest(): void {
    const revision = this.#events[this.#start]?.revision;
    if (revision !== undefined) this.dropUntil(revision);
  }

  /** Drops the events up to and including a revision. */
  dropUntil(revision: Revision): void {
    for (;;) {
      const event = this.#events[this.#start];
      if (event === undefined || event.revision > revision) break;
      this.#bytes -= costOf(event);
      this.#floor = event.revision;
      this.#events[this.#start] = undefined;
      this.#start += 1;
    }
    // Moves each event once on average.
    if (this.#start > 32 && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Index of the first event after a revision. */
  #indexAfter(revision: Revision): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The cost of an event in limits. */
export function costOf(event: StoredEvent): number {
  return sizeOf(event.entry) + eventOverhead;
}
