/** An entry that is made when it is read: its text lies in a pack, and what else it is stands in a row. */
import { ownCopy } from '../../base/own-memory.ts';
import type { PackRows } from '../../codec/pack-rows.ts';
import { storedTextOf, type Pack, type PackedText } from '../../codec/pack.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../types.ts';

/** Where rows of neighbours stand. Without their pack, which an entry that has left it must not keep in memory. */
export interface RowPlace {
  readonly collection: CollectionId;
  readonly rows: PackRows;
}

/** What has no object of an entry until something is noted of it. */
export interface Keeper {
  /** Gives this object from now on. */
  keep(entry: RowEntry): void;
}

const nothing = Buffer.alloc(0);

export class RowEntry implements Entry, PackedText {
  readonly place: RowPlace;
  readonly row: number;
  pack: Pack | undefined;
  packedAt: number;
  isListed = false;
  isPassed = false;
  #keeper: Keeper | undefined;
  #memo: Map<unknown, unknown> | undefined = undefined;
  #key: ObjectKey | undefined = undefined;
  /** Nothing where it lies in a pack. */
  #text: Buffer = nothing;

  /** @param row its index in the pack, too */
  constructor(place: RowPlace, pack: Pack, row: number, keeper: Keeper) {
    this.place = place;
    this.row = row;
    this.pack = pack;
    this.packedAt = row;
    this.#keeper = keeper;
  }

  get collection(): CollectionId {
    return this.place.collection;
  }

  get key(): ObjectKey {
    return (this.#key ??= this.place.rows.key(this.row));
  }

  get modRevision(): Revision {
    return this.place.rows.modRevision(this.row);
  }

  get mark(): number {
    return this.place.rows.mark(this.row);
  }

  get size(): number {
    return this.place.rows.size(this.row);
  }

  get versionAt(): number {
    return this.place.rows.versionAt(this.row);
  }

  /** Lists leave the text where it is. */
  get isShared(): boolean {
    return true;
  }

  get bytes(): Buffer {
    const { pack, packedAt, versionAt, size: storedLength } = this;
    return pack === undefined ? this.#text : storedTextOf({ pack, packedAt, versionAt, storedLength });
  }

  get isFleeting(): boolean {
    return this.#keeper !== undefined && this.#memo === undefined;
  }

  get memo(): Map<unknown, unknown> | undefined {
    return this.#memo;
  }

  /** What is noted of it would be noted again for each reader. */
  set memo(memo: Map<unknown, unknown> | undefined) {
    this.#memo = memo;
    this.#keeper?.keep(this);
  }

  /** A tree has this object from now on. */
  stay(): void {
    if (this.#keeper === undefined) return;
    this.#keeper = undefined;
    this.pack?.unfold(this, this.packedAt);
  }

  keepItem(pack: Pack, index: number): void {
    this.pack?.leave(this, this.packedAt);
    this.pack = pack;
    this.packedAt = index;
    pack.join(this, index);
  }

  unpack(): void {
    if (this.pack !== undefined) this.#text = ownCopy(this.bytes);
    this.pack = undefined;
  }

  pass(): void {
    this.isPassed = true;
    this.pack?.pass(this, this.packedAt);
  }
}
