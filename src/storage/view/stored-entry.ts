/** Stored revisions of objects, shared by all readers. */
import { inflateRawSync } from 'node:zlib';
import { aloneInMemory, ownCopy, sharedMemory } from '../../base/own-memory.ts';
import { storedTextOf, type Pack, type PackedText } from '../../codec/pack.ts';
import { versionAt } from '../../codec/stored.ts';
import type { StoredForm } from '../encryption/transformer.ts';
import type { CollectionId, Entry, ObjectKey, Revision, TextAtRest } from '../types.ts';
import type { WriteMark } from '../write/mark.ts';

/** Texts of fewer bytes are copied for other threads: memory of its own costs as much as a copy. */
const minSharedBytes = 16 * 1024;

/** Bytes in front of the resource version: those of names and times. */
const mostOpeningBytes = 4 * 1024;

/** Texts that rest and were read lately, by their entries. */
export interface LatelyRead {
  get(entry: object): Buffer | undefined;
  set(entry: object, text: Buffer): unknown;
}

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
  /** The stored text, or that compressed, or that as an item of a list: one of them is enough. */
  #text: Buffer;
  /** The text is compressed, and begins like this. */
  #opening: Buffer | undefined = undefined;
  #lately: LatelyRead | undefined = undefined;
  /** Since `textToRest` looked last. */
  #wasRead = false;
  /** Other threads follow with this text. */
  #isFed = false;
  /** What the item lacks; undefined if the text is not an item. Shared by the entries of a collection. */
  #head: Buffer | undefined = undefined;
  #pack: Pack | undefined = undefined;
  /** etcd had an older form of the text. */
  readonly wasRecoded: boolean;
  /** How etcd had it, where values are encrypted. */
  readonly form: StoredForm | undefined;

  constructor({ collection, key, modRevision, bytes, size, mark, form, isRecoded = false }: EntryParts) {
    this.collection = collection;
    this.key = key;
    this.modRevision = modRevision;
    this.#text = bytes;
    this.size = size ?? bytes.length;
    this.wasRecoded = isRecoded;
    this.form = form;
    this.mark = mark;
  }

  /** Changes if a new configuration of encryption says how it should be stored. */
  get isRecoded(): boolean {
    return this.wasRecoded || this.form?.isStale === true;
  }

  get bytes(): Buffer {
    this.#wasRead = true;
    if (this.#opening !== undefined) return this.#inflated();
    if (this.#head === undefined) return this.#text;
    const { versionAt, size: storedLength } = this;
    return storedTextOf({ text: this.#text, head: this.#head, versionAt, storedLength });
  }

  /** The text up to and with the byte at `versionAt`, if it rests. */
  get opening(): Buffer | undefined {
    return this.#opening;
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
    this.#opening = undefined;
    this.#head = head;
    this.#pack = pack;
    pack.join(this, item.length);
  }

  shared(): Buffer | undefined {
    if (this.size < minSharedBytes || this.#head !== undefined || this.#opening !== undefined)
      return undefined;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  /** The compressed text in memory that other threads may have, too; undefined if it does not rest. */
  atRest(): TextAtRest | undefined {
    if (this.#opening === undefined) return undefined;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return { packed: this.#text, opening: this.#opening, versionAt: this.versionAt, size: this.size };
  }

  /** The text in memory that other threads may have, too, whatever its size. */
  share(): Buffer {
    if (this.#head !== undefined) return sharedCopy(this.bytes);
    this.#wake();
    this.#isFed = true;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  unpack(): void {
    if (this.#head !== undefined) this.#text = ownCopy(this.bytes);
    this.#head = undefined;
    this.#pack = undefined;
  }

  /** Takes the text out of the message that it came in. */
  settle(): void {
    if (this.#head === undefined) this.#text = aloneInMemory(this.#text);
  }

  pass(): void {
    this.isPassed = true;
    this.#leavePack();
    this.unpack();
  }

  /**
   * The text, to be compressed; 'read' if it was read since the last call. undefined if it does not lie alone or is compressed
   * already. That of an earlier state is kept by events.
   */
  textToRest(): Buffer | 'read' | undefined {
    if (this.#head !== undefined || this.#opening !== undefined || this.#isFed) return undefined;
    if (!this.#wasRead) return this.#text;
    this.#wasRead = false;
    return 'read';
  }

  /** Keeps this instead of the text, unless that was read or moved meanwhile, or is no object. @param packed of `text`, as raw DEFLATE */
  rest(text: Buffer, packed: Buffer, lately: LatelyRead): void {
    if (this.textToRest() !== text) return;
    const end = versionPlace(this);
    if (end === undefined || end > mostOpeningBytes) return;
    this.lay({ packed, opening: ownCopy(text.subarray(0, end + 1)) }, lately);
  }

  /** Keeps a text that is compressed already. `size` and `versionAt` are those of the whole one. */
  lay({ packed, opening }: Pick<TextAtRest, 'packed' | 'opening'>, lately: LatelyRead): void {
    this.#text = packed;
    this.#opening = opening;
    this.#lately = lately;
  }

  #inflated(): Buffer {
    const known = this.#lately?.get(this);
    if (known !== undefined) return known;
    // All in one piece: with a byte more there is room for its end.
    const text = inflateRawSync(this.#text, { chunkSize: Math.max(64, this.size + 1) });
    this.#lately?.set(this, text);
    return text;
  }

  #wake(): void {
    if (this.#opening === undefined) return;
    this.#text = this.#inflated();
    this.#opening = undefined;
  }

  #leavePack(): void {
    this.#pack?.leave(this, this.#text.length);
  }
}

/** Where the resource version is spliced in; undefined for what has no metadata. */
function versionPlace(entry: StoredEntry): number | undefined {
  try {
    return versionAt(entry);
  } catch {
    return undefined;
  }
}

function sharedCopy(value: Buffer): Buffer {
  const bytes = sharedMemory(value.length);
  value.copy(bytes);
  return bytes;
}
