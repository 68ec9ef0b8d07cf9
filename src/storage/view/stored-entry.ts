/** Stored revisions of objects, shared by all readers. */
import type { Pack, PackedText } from '../../codec/pack.ts';
import { storedTextOf } from '../../codec/stored.ts';
import type { StoredForm } from '../encryption/transformer.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../types.ts';
import type { WriteMark } from '../write/mark.ts';

/** Texts of fewer bytes are copied for other threads: memory of its own costs as much as a copy. */
const minSharedBytes = 16 * 1024;

export type EntryParts = Pick<Entry, 'collection' | 'key' | 'modRevision' | 'bytes' | 'isRecoded'> & {
  readonly mark: WriteMark;
  readonly form?: StoredForm | undefined;
  /** Length of the stored text, where `bytes` is not that; default: that of `bytes`. */
  readonly size?: number;
};

/** All fields are set here, so that all entries have the same hidden class. */
export class StoredEntry implements Entry, PackedText {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  readonly size: number;
  /** Mark of the write that made this revision; see write/mark.ts. */
  readonly mark: WriteMark;
  versionAt = 0;
  isListed = false;
  isPassed = false;
  memo: Map<unknown, unknown> | undefined = undefined;
  /** The stored text, or that as an item of a list: one of them is enough. */
  #text: Buffer;
  /** What the item lacks; undefined if the text is not an item. Shared by the entries of a collection. */
  #head: Buffer | undefined = undefined;
  #pack: Pack | undefined = undefined;
  readonly #wasRecoded: boolean;
  readonly #form: StoredForm | undefined;

  constructor({ collection, key, modRevision, bytes, size, mark, form, isRecoded = false }: EntryParts) {
    this.collection = collection;
    this.key = key;
    this.modRevision = modRevision;
    this.#text = bytes;
    this.size = size ?? bytes.length;
    this.#wasRecoded = isRecoded;
    this.#form = form;
    this.mark = mark;
  }

  /** Changes if a new configuration of encryption says how it should be stored. */
  get isRecoded(): boolean {
    return this.#wasRecoded || this.#form?.isStale === true;
  }

  get bytes(): Buffer {
    if (this.#head === undefined) return this.#text;
    const { versionAt, size: storedLength } = this;
    return storedTextOf({ text: this.#text, head: this.#head, versionAt, storedLength });
  }

  get item(): Buffer | undefined {
    return this.#head === undefined ? undefined : this.#text;
  }

  get itemHead(): Buffer | undefined {
    return this.#head;
  }

  keepItem(item: Buffer, head: Buffer, pack: Pack): void {
    this.#leavePack();
    this.#text = item;
    this.#head = head;
    this.#pack = pack;
    pack.join(this, item.length);
  }

  shared(): Buffer | undefined {
    if (this.size < minSharedBytes || this.#head !== undefined) return undefined;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  /** The text in memory that other threads may have, too, whatever its size. */
  share(): Buffer {
    if (this.#head !== undefined) return sharedCopy(this.bytes);
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  unpack(): void {
    if (this.#head !== undefined) this.#text = ownCopy(this.bytes);
    this.#head = undefined;
    this.#pack = undefined;
  }

  pass(): void {
    this.isPassed = true;
    this.#leavePack();
    this.unpack();
  }

  #leavePack(): void {
    this.#pack?.leave(this, this.#text.length);
  }
}

function sharedCopy(value: Buffer): Buffer {
  const bytes = Buffer.from(new SharedArrayBuffer(value.length));
  value.copy(bytes);
  return bytes;
}

/** A copy in memory of its own. */
export function ownCopy(value: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(value.length);
  value.copy(bytes);
  return bytes;
}
