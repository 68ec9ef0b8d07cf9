/**
 * Indexes of a collection by attribute (a label or selectable field), for selective lists: scanning 10,000 entries
 * took 6 ms per list, finding a hundred of them by index takes 0.1 ms.
 *
 *   requested once ──requested again──▶ being filled in slices ──▶ ready, follows every change ──▶ evicted (LRU)
 *
 * An index holds only the current state. It follows changes while it is being filled, and skips entries that are no
 * longer current.
 */
import { LRUCache } from 'lru-cache';
import { Slice } from '../../base/cooperate.ts';
import { sizeOf } from '../size.ts';
import type { Attribute, Entry, ObjectKey } from '../types.ts';

/** Maximum indexes of a collection: each takes about 100 bytes per entry and a few microseconds per change. */
const mostIndexes = 4;
/** Maximum number of remembered attributes without an index. */
const maxRequested = 16;
/** Smaller collections are scanned, which is cheaper than an index. */
const leastEntries = 1_000;
/** Selecting and sorting a larger share costs as much as a scan. */
const largestShare = 1 / 8;
/** Entries that are indexed between checks of the clock, and their bytes: they are parsed for their fields. */
const filledAtOnce = 64;
const bytesAtOnce = 64 * 1024;

/** Keys, as objects of entries need not be there. */
class AttributeIndex {
  readonly #read: Attribute['read'];
  readonly #isLarge: NonNullable<Attribute['isLarge']>;
  readonly #byValue = new Map<string, Set<ObjectKey>>();
  /** Those of large entries, which lists read in slices: to parse one takes up to 150 ms. */
  readonly #large = new Set<ObjectKey>();
  isFilled = false;

  constructor({ read, isLarge = () => false }: Attribute) {
    this.#read = read;
    this.#isLarge = isLarge;
  }

  add(entry: Entry): void {
    if (this.#isLarge(entry)) {
      this.#large.add(entry.key);
      return;
    }
    const value = this.#read(entry);
    if (value === undefined) return;
    const having = this.#byValue.get(value);
    if (having === undefined) this.#byValue.set(value, new Set([entry.key]));
    else having.add(entry.key);
  }

  remove(entry: Entry): void {
    if (this.#isLarge(entry)) {
      this.#large.delete(entry.key);
      return;
    }
    const value = this.#read(entry);
    const having = value === undefined ? undefined : this.#byValue.get(value);
    if (value === undefined || having?.delete(entry.key) !== true) return;
    if (having.size === 0) this.#byValue.delete(value);
  }

  /** Keys with one of the values, and those of large ones, unordered; undefined if there are more than `most`. */
  having(values: ReadonlySet<string>, most: number): ObjectKey[] | undefined {
    const groups = [this.#large, ...[...values].map((value) => this.#byValue.get(value))].filter(
      (group) => group !== undefined,
    );
    if (groups.reduce((sum, { size }) => sum + size, 0) > most) return undefined;
    return groups.flatMap((group) => [...group]);
  }
}

class LargeCollection {
  /** By id. */
  readonly indexes = new LRUCache<string, AttributeIndex>({ max: mostIndexes });
  readonly asked = new LRUCache<string, true>({ max: maxRequested });
}

/** The current state of a collection, as the indexes see it. */
export interface IndexedState {
  size(): number;
  get(key: ObjectKey): Entry | undefined;
  /** All entries of the current state, unaffected by later changes. */
  frozen(): Iterable<Entry>;
}

export class AttributeIndexes {
  readonly #state: IndexedState;
  /** Undefined until they are needed: most collections are small, and there are a hundred of them. */
  #large: LargeCollection | undefined;

  constructor(state: IndexedState) {
    this.#state = state;
  }

  /** Keys of the current state, as `CollectionSnapshot.having`; undefined if a scan is needed. */
  having(attribute: Attribute, values: ReadonlySet<string>): readonly ObjectKey[] | undefined {
    const index = this.#large?.indexes.get(attribute.id);
    if (index === undefined) this.#consider(attribute);
    return index?.isFilled === true ? index.having(values, this.#state.size() * largestShare) : undefined;
  }

  /** Replaces `previous` by `entry`; undefined for none. */
  change(previous: Entry | undefined, entry: Entry | undefined): void {
    if (this.#large === undefined || this.#large.indexes.size === 0) return;
    for (const [id, index] of this.#large.indexes) {
      this.#guarded(id, () => {
        if (previous !== undefined) index.remove(previous);
        if (entry !== undefined) index.add(entry);
      });
    }
  }

  /** Creates an index for an attribute that is requested repeatedly. */
  #consider(attribute: Attribute): void {
    const { id } = attribute;
    if (this.#state.size() < leastEntries) return;
    const { asked, indexes } = (this.#large ??= new LargeCollection());
    if (asked.get(id) === undefined) {
      asked.set(id, true);
      return;
    }
    asked.delete(id);
    const index = new AttributeIndex(attribute);
    indexes.set(id, index);
    void this.#fill(id, index);
  }

  async #fill(id: string, index: AttributeIndex): Promise<void> {
    const slice = new Slice();
    let [done, bytes] = [0, 0];
    for (const entry of this.#state.frozen()) {
      done += 1;
      bytes += sizeOf(entry);
      if (done >= filledAtOnce || bytes >= bytesAtOnce) {
        [done, bytes] = [0, 0];
        await slice.breathe();
        if (this.#large?.indexes.get(id) !== index) return;
      }
      if (this.#state.get(entry.key)?.modRevision === entry.modRevision)
        this.#guarded(id, () => index.add(entry));
    }
    index.isFilled = true;
  }

  /** An unreadable entry drops the index: the error is reported by lists and must not block changes. */
  #guarded(id: string, act: () => void): void {
    try {
      act();
    } catch {
      this.#large?.indexes.delete(id);
    }
  }
}
