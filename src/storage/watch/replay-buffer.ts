/** Collects replayed events for a ring, up to its limits. */
import type { StorageLimits } from '../options.ts';
import type { StoredEvent } from '../types.ts';
import { costOf } from './event-ring.ts';

export class ReplayBuffer {
  readonly #limits: StorageLimits;
  #events: StoredEvent[] = [];
  #bytes = 0;
  #isWhole = true;

  constructor(limits: StorageLimits) {
    this.#limits = limits;
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) this.#bytes += costOf(event);
    const count = this.#events.length + events.length;
    this.#isWhole &&= count <= this.#limits.ringEvents && this.#bytes <= this.#limits.ringBytes;
    if (this.#isWhole) this.#events.push(...events);
    else this.#events = [];
  }

  /** The history has an event that cannot be added. */
  spoil(): void {
    this.#isWhole = false;
    this.#events = [];
  }

  /** All added events; undefined if they exceed the limits, or are not all. */
  whole(): readonly StoredEvent[] | undefined {
    return this.#isWhole ? this.#events : undefined;
  }
}
