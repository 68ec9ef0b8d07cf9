/**
 * What representations keep of objects (architecture.md, decision 4): made once for each revision, remembered on its
 * entry, replaced by what is made of a newer revision of the same object, and all together within a budget.
 *
 * Eviction is random: lists read everything in turn, so a least-recently-used order would evict, in a budget that is a
 * little too small, each item just before it is needed again.
 */
import type { NumberSeries } from '../observe/metric-series.ts';
import type { Entry, ObjectKey, Revision } from '../storage/types.ts';

interface Kept {
  readonly memo: Map<unknown, unknown>;
  readonly form: EntryForm<unknown>;
  readonly key: ObjectKey;
  readonly revision: Revision;
  readonly size: number;
  /** Its place among all that is kept. */
  at: number;
}

/** One kind of kept things of one resource; also their key on an entry. */
export interface EntryForm<T> {
  /** Bytes that a value takes beside the bookkeeping. */
  readonly sizeOf: (value: T) => number;
  /** What is cached of each object: of its newest revision that was requested. */
  readonly newest: Map<ObjectKey, Kept>;
}

/** Metrics of the cache. */
export interface ItemCells {
  readonly made: NumberSeries;
  readonly evicted: NumberSeries;
  readonly size: NumberSeries;
}

/** Bookkeeping of one kept value, in bytes, measured: the entry's map, two references, a buffer's own objects. */
const overhead = 500;

export class EntryCache {
  private readonly maxBytes: number;
  private readonly cells: ItemCells;
  private readonly all: Kept[] = [];
  private bytes = 0;

  constructor(maxBytes: number, cells: ItemCells) {
    this.maxBytes = maxBytes;
    this.cells = cells;
  }

  /** Bytes held now; never more than the budget. */
  get size(): number {
    return this.bytes;
  }

  form<T>(sizeOf: (value: T) => number): EntryForm<T> {
    return { sizeOf, newest: new Map() };
  }

  /** What was made of this entry in this form: the kept value or, at first, what `make` gives. */
  take<T>(entry: Entry, form: EntryForm<T>, make: (entry: Entry) => T): T {
    const known = entry.memo?.get(form);
    if (known !== undefined) return known as T;
    const value = make(entry);
    this.cells.made.add();
    this.keep(entry, form, value);
    return value;
  }

  /** What no later request can use is not cached: a dry run's object, a state that is known to be old. */
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
    const unlucky = this.all[Math.floor(Math.random() * this.all.length)];
    if (!unlucky) return;
    this.drop(unlucky);
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
