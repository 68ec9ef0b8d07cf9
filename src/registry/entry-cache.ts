/**
 * Cache of representations of objects: created once per revision, stored on the entry, replaced by those of a newer
 * revision, and bounded by a common budget. Eviction is random: lists read all objects in sequence, so with a
 * slightly too small budget LRU would evict each item just before it is needed again.
 */
import { randomIndex, type Random } from '../base/random.ts';
import type { NumberSeries } from '../observe/metric-series.ts';
import type { Entry, ObjectKey, Revision } from '../storage/types.ts';

interface Kept {
  readonly memo: Map<unknown, unknown>;
  readonly form: EntryForm<unknown>;
  readonly key: ObjectKey;
  readonly revision: Revision;
  readonly size: number;
  /** Index in the cache. */
  at: number;
}

/** A kind of cached values of a resource; also their key on an entry. */
export interface EntryForm<T> {
  /** Bytes of a value without overhead. */
  readonly sizeOf: (value: T) => number;
  /** Cached value of each object, of its newest requested revision. */
  readonly newest: Map<ObjectKey, Kept>;
}

/** Metrics of the cache. */
export interface ItemCells {
  readonly made: NumberSeries;
  readonly evicted: NumberSeries;
  readonly size: NumberSeries;
}

/** Measured overhead of a value in bytes: the map of the entry, two references, the objects of a Buffer. */
const overhead = 500;

export class EntryCache {
  private readonly maxBytes: number;
  private readonly cells: ItemCells;
  private readonly random: Random;
  private readonly all: Kept[] = [];
  private bytes = 0;

  constructor(maxBytes: number, cells: ItemCells, random: Random) {
    this.random = random;
    this.maxBytes = maxBytes;
    this.cells = cells;
  }

  /** Bytes in the cache; never more than the budget. */
  get size(): number {
    return this.bytes;
  }

  form<T>(sizeOf: (value: T) => number): EntryForm<T> {
    return { sizeOf, newest: new Map() };
  }

  /** Whether the value of this entry in this form is cached. */
  has<T>(entry: Entry, form: EntryForm<T>): boolean {
    return entry.memo?.has(form) === true;
  }

  /** The cached value of this entry in this form, or the result of `make`, which is then cached. */
  take<T>(entry: Entry, form: EntryForm<T>, make: (entry: Entry) => T): T {
    const known = entry.memo?.get(form);
    if (known !== undefined) return known as T;
    const value = make(entry);
    this.cells.made.add();
    this.keep(entry, form, value);
    return value;
  }

  /** Takes all values off their entries, which other replicas of this process may share. */
  clear(): void {
    for (const { memo, form, key } of this.all.splice(0)) {
      memo.delete(form);
      form.newest.delete(key);
    }
    this.bytes = 0;
    this.cells.size.set(0);
  }

  /** Objects of a dry run and outdated states are not cached, as no later request can use them. */
  private keep<T>(entry: Entry, form: EntryForm<T>, value: T): void {
    const size = form.sizeOf(value) + overhead;
    const before = form.newest.get(entry.key);
    const isOld = before !== undefined && before.revision > entry.modRevision;
    if (entry.modRevision === 0 || isOld || size > this.maxBytes) return;
    if (before) this.drop(before);
    const memo = (entry.memo ??= new Map());
    memo.set(form, value);
    const kept = {
      ...{ memo, form: form as EntryForm<unknown>, key: entry.key, revision: entry.modRevision, size },
      at: this.all.length,
    };
    this.all.push(kept);
    form.newest.set(entry.key, kept);
    this.bytes += size;
    while (this.bytes > this.maxBytes) this.evictOne();
    this.cells.size.set(this.bytes);
  }

  private evictOne(): void {
    const victim = this.all[randomIndex(this.random, this.all.length)];
    if (!victim) return;
    this.drop(victim);
    this.cells.evicted.add();
  }

  private drop(kept: Kept): void {
    kept.memo.delete(kept.form);
    kept.form.newest.delete(kept.key);
    this.bytes -= kept.size;
    const last = this.all.pop();
    if (!last || last === kept) return;
    last.at = kept.at;
    this.all[kept.at] = last;
  }
}
