/**
 * The recent events of all collections, bounded by number per collection, total bytes and age. Each collection has
 * its own ring, so that a busy collection does not evict the history of a quiet one.
 */
import type { StorageLimits } from '../options.ts';
import type { CollectionId, Revision, StoredEvent } from '../types.ts';
import { costOf, EventRing } from './event-ring.ts';

interface AgeMark {
  readonly at: number;
  readonly revision: Revision;
}

export class RecentEvents {
  readonly #limits: StorageLimits;
  #rings = new Map<CollectionId, EventRing>();
  #floor: Revision = 0;
  #bytes = 0;
  /** Revisions by time, one per tick. */
  #ages: AgeMark[] = [];

  constructor(limits: StorageLimits) {
    this.#limits = limits;
  }

  get totals(): { readonly events: number; readonly bytes: number } {
    let events = 0;
    for (const ring of this.#rings.values()) events += ring.size;
    return { events, bytes: this.#bytes };
  }

  ring(collection: CollectionId): EventRing {
    let ring = this.#rings.get(collection);
    if (ring === undefined) {
      ring = new EventRing(this.#floor);
      this.#rings.set(collection, ring);
    }
    return ring;
  }

  /** Drops everything; history begins after `floor`. */
  reset(floor: Revision): void {
    this.#rings = new Map();
    this.#floor = floor;
    this.#bytes = 0;
    this.#ages = [];
  }

  /** Drops the events of a collection: it has others that cannot be shown. */
  forget(collection: CollectionId, floor: Revision): void {
    const ring = this.ring(collection);
    this.#bytes -= ring.bytes;
    this.#rings.set(collection, new EventRing(floor));
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const ring = this.ring(event.collection);
      const before = ring.bytes;
      ring.push(event);
      if (ring.size > this.#limits.ringEvents) ring.dropOldest();
      this.#bytes += ring.bytes - before;
    }
    while (this.#bytes > this.#limits.ringBytes) this.#dropFromLargest();
  }

  /**
   * Extends a ring by history that was replayed from etcd: all events after `floor` up to at least the start of the
   * ring, so that the next watch from there is a look-up. Does nothing if they do not fit.
   */
  extendBack(collection: CollectionId, floor: Revision, events: readonly StoredEvent[]): void {
    const ring = this.ring(collection);
    if (floor >= ring.floor) return;
    const older = events.filter((event) => event.revision <= ring.floor);
    const bytes = older.reduce((sum, event) => sum + costOf(event), 0);
    const hasRoom = this.#bytes + bytes <= this.#limits.ringBytes;
    if (!hasRoom || ring.size + older.length > this.#limits.ringEvents) return;
    ring.prepend(older, floor);
    this.#bytes += bytes;
  }

  /** Drops rings without events that know no less than a new one would: all before this revision is compacted. */
  sweep(compactedAt: Revision): void {
    for (const [collection, ring] of this.#rings) {
      if (ring.size > 0 || ring.floor > compactedAt) continue;
      this.#rings.delete(collection);
      this.#floor = Math.max(this.#floor, ring.floor);
    }
  }

  /** Applies the age limit. */
  age(now: number, revision: Revision): void {
    let expired: Revision | undefined;
    while (now - (this.#ages[0]?.at ?? now) > this.#limits.maxAgeMs) expired = this.#ages.shift()?.revision;
    if (expired !== undefined) this.#dropUntil(expired);
    this.#ages.push({ at: now, revision });
  }

  #dropUntil(revision: Revision): void {
    for (const ring of this.#rings.values()) {
      const before = ring.bytes;
      ring.dropUntil(revision);
      this.#bytes += ring.bytes - before;
    }
  }

  #dropFromLargest(): void {
    let largest: EventRing | undefined;
    for (const ring of this.#rings.values()) {
      if (largest === undefined || ring.bytes > largest.bytes) largest = ring;
    }
    if (largest === undefined) return;
    const before = largest.bytes;
    largest.dropOldest();
    this.#bytes += largest.bytes - before;
  }
}
