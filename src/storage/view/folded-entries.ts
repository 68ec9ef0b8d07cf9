/**
 * The entries of a leaf of which no objects are kept: their texts lie behind each other in packs, and what else they are
 * stands in rows. Each reader is given objects of its own, until something is noted of one.
 */
import type { Folded, Pack } from '../../codec/pack.ts';
import type { Entry, ObjectKey } from '../types.ts';
import { RowEntry, type Keeper, type RowPlace } from './row-entry.ts';
import { StoredEntry } from './stored-entry.ts';

/** Once so many of all have objects, all are given some. */
const largestShare = 1 / 4;

/** Neighbours in a pack. */
interface FoldedRange {
  readonly place: RowPlace;
  readonly pack: Pack;
  /** Index of the first one in the pack. */
  readonly from: number;
  size: number;
}

export class FoldedEntries implements Keeper {
  readonly size: number;
  readonly #leaf: Folded;
  /** Seldom more than two, for a pack is longer than a leaf. */
  readonly #ranges: readonly FoldedRange[];
  #kept: Map<ObjectKey, RowEntry> | undefined = undefined;

  private constructor(leaf: Folded, ranges: readonly FoldedRange[], size: number) {
    this.#leaf = leaf;
    this.#ranges = ranges;
    this.size = size;
    for (const { pack, from, size: count } of ranges) pack.fold([from, from + count], leaf);
  }

  /**
   * Entries in the order of their keys; undefined if one of them says more than rows do, or lies in no pack.
   * @param leaf is unfolded when there is no use in it any more
   */
  static of(leaf: Folded, entries: readonly Entry[]): FoldedEntries | undefined {
    const ranges: FoldedRange[] = [];
    for (const entry of entries) {
      if (!isPlain(entry)) return undefined;
      const last = ranges.at(-1);
      if (last !== undefined && isNext(last, entry)) {
        last.size += 1;
        continue;
      }
      const range = rangeAt(entry);
      if (range === undefined) return undefined;
      ranges.push(range);
    }
    return new FoldedEntries(leaf, ranges, entries.length);
  }

  keyAt(at: number): ObjectKey {
    return this.#made(at).key;
  }

  /** Index of the first one whose key is not smaller. */
  lowerBound(key: ObjectKey): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get(key: ObjectKey): RowEntry | undefined {
    const at = this.lowerBound(key);
    return at < this.size && this.#compare(at, key) === 0 ? this.entryAt(at) : undefined;
  }

  entryAt(at: number): RowEntry {
    const made = this.#made(at);
    return this.#kept?.get(made.key) ?? made;
  }

  keep(entry: RowEntry): void {
    const { key } = entry;
    this.#kept ??= new Map();
    if (this.#kept.has(key)) return;
    this.#kept.set(key, entry);
    if (this.#kept.size > this.size * largestShare) this.#leaf.unfold();
  }

  #compare(at: number, key: ObjectKey): number {
    let index = at;
    for (const { place, from, size } of this.#ranges) {
      if (index < size) return place.rows.compare(from + index, key);
      index -= size;
    }
    return 1;
  }

  #made(at: number): RowEntry {
    let index = at;
    let i = 0;
    for (; index >= (this.#ranges[i] as FoldedRange).size; i += 1)
      index -= (this.#ranges[i] as FoldedRange).size;
    const { place, pack, from } = this.#ranges[i] as FoldedRange;
    return new RowEntry(place, pack, from + index, this);
  }
}

/** A row says all of it, and nothing was noted of it. */
function isPlain(entry: Entry): boolean {
  if (entry.isPassed === true || entry.memo !== undefined) return false;
  if (entry instanceof RowEntry) return true;
  return entry instanceof StoredEntry && entry.form === undefined && !entry.wasRecoded;
}

function isNext(last: FoldedRange, { pack, packedAt }: Entry): boolean {
  return pack === last.pack && packedAt === last.from + last.size;
}

function rangeAt({ collection, pack, packedAt = 0 }: Entry): FoldedRange | undefined {
  const rows = pack?.rows;
  return pack && rows && { place: { collection, rows }, pack, from: packedAt, size: 1 };
}
