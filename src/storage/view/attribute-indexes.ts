/**
 * Which entries of a collection have which value of an attribute (a label, a selectable field), for lists that pick a few
 * of many: to look at 10,000 entries took 6 ms of the thread for each such list, to pick a hundred of them by their value
 * takes 0.1 ms.
 *
 *   asked for once ──asked for again──▶ being filled, a slice at a time ──▶ answers, follows every change ──▶ dropped for one
 *                                                                                                           that is used more
 *
 * An index holds only the current state. While it is filled it follows changes already: what the filling finds to be of an
 * earlier state is passed over.
 */
import { LRUCache } from 'lru-cache';
import { Slice } from '../../base/cooperate.ts';
import type { Attribute, Entry, ObjectKey } from '../types.ts';

/** Of one collection: each takes about 100 bytes an entry, and a few microseconds of each change. */
const mostIndexes = 4;
/** Attributes that were asked for once and have no index yet. */
const mostAsked = 16;
/** Fewer entries are looked at sooner than an index is kept up. */
const leastEntries = 1_000;
/** Picking and sorting a larger part of the collection costs as much as looking at all of it. */
const largestShare = 1 / 8;
/** So many entries are filled in before the clock is looked at. */
const filledAtOnce = 64;

class AttributeIndex {
  readonly #read: Attribute['read'];
  readonly #byValue = new Map<string, Map<ObjectKey, Entry>>();
  isFilled = false;

  constructor({ read }: Attribute) {
    this.#read = read;
  }

  add(entry: Entry): void {
    const value = this.#read(entry);
    if (value === undefined) return;
    const having = this.#byValue.get(value);
    if (having === undefined) this.#byValue.set(value, new Map([[entry.key, entry]]));
    else having.set(entry.key, entry);
  }

  remove(entry: Entry): void {
    const value = this.#read(entry);
    const having = value === undefined ? undefined : this.#byValue.get(value);
    if (value === undefined || having?.get(entry.key) !== entry) return;
    having.delete(entry.key);
    if (having.size === 0) this.#byValue.delete(value);
  }

  /** Entries with one of the values, in no order; undefined: there are more than `most`. */
  having(values: ReadonlySet<string>, most: number): Entry[] | undefined {
    const groups = [...values]
      .map((value) => this.#byValue.get(value))
      .filter((group) => group !== undefined);
    if (groups.reduce((sum, { size }) => sum + size, 0) > most) return undefined;
    return groups.flatMap((group) => [...group.values()]);
  }
}

/** The current state of a collection, as the indexes see it. */
export interface IndexedState {
  size(): number;
  get(key: ObjectKey): Entry | undefined;
  /** All entries of the state as it is now, whatever changes meanwhile. */
  frozen(): readonly Entry[];
}

export class AttributeIndexes {
  readonly #state: IndexedState;
  /** By id. */
  readonly #indexes = new LRUCache<string, AttributeIndex>({ max: mostIndexes });
  readonly #asked = new LRUCache<string, true>({ max: mostAsked });

  constructor(state: IndexedState) {
    this.#state = state;
  }

  /** Entries of the current state whose attribute has one of the values, in key order; undefined: look at all. */
  having(attribute: Attribute, values: ReadonlySet<string>): readonly Entry[] | undefined {
    const index = this.#indexes.get(attribute.id);
    if (index === undefined) this.#consider(attribute);
    if (index?.isFilled !== true) return undefined;
    return index.having(values, this.#state.size() * largestShare)?.sort(byKey);
  }

  /** The state has `entry` in the place of `previous`; undefined: nothing. */
  change(previous: Entry | undefined, entry: Entry | undefined): void {
    if (this.#indexes.size === 0) return;
    for (const [id, index] of this.#indexes) {
      this.#guarded(id, () => {
        if (previous !== undefined) index.remove(previous);
        if (entry !== undefined) index.add(entry);
      });
    }
  }

  /** Makes an index for what is asked for repeatedly. */
  #consider(attribute: Attribute): void {
    const { id } = attribute;
    if (this.#state.size() < leastEntries) return;
    if (this.#asked.get(id) === undefined) {
      this.#asked.set(id, true);
      return;
    }
    this.#asked.delete(id);
    const index = new AttributeIndex(attribute);
    this.#indexes.set(id, index);
    void this.#fill(id, index);
  }

  async #fill(id: string, index: AttributeIndex): Promise<void> {
    const slice = new Slice();
    let done = 0;
    for (const entry of this.#state.frozen()) {
      done += 1;
      if (done % filledAtOnce === 0) {
        await slice.breathe();
        if (this.#indexes.get(id) !== index) return;
      }
      if (this.#state.get(entry.key) === entry) this.#guarded(id, () => index.add(entry));
    }
    index.isFilled = true;
  }

  /** What cannot be read is told to those who list: an index must not stand in the way of changes. */
  #guarded(id: string, act: () => void): void {
    try {
      act();
    } catch {
      this.#indexes.delete(id);
    }
  }
}

/** The order of the tree. */
function byKey(a: Entry, b: Entry): number {
  return a.key < b.key ? -1 : 1;
}
