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
  /** Several threads have the text: lists leave it where it is. */
  readonly isShared?: boolean;
};

const nothing = Buffer.alloc(0);

/** What is true of an entry, in one field: a million entries have a million of each. */
const listed = 1;
const passed = 2;
/** Read since `textToRest` looked last. */
const read = 4;
/** Other threads follow with this text. */
const fed = 8;
const recoded = 16;
const shared = 32;

/** A text that rests. */
interface Resting {
  /** What the text begins with. */
  readonly opening: Buffer;
  readonly lately: LatelyRead;
}

/** All fields are set here, so that all entries have the same hidden class. */
export class StoredEntry implements Entry, PackedText {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  readonly size: number;
  /** Mark of the write that made this revision; see write/mark.ts. */
  readonly mark: WriteMark;
  versionAt = 0;
  memo: Map<unknown, unknown> | undefined = undefined;
  /** As an item of a list; undefined if the text is not packed. */
  pack: Pack | undefined = undefined;
  packedAt = 0;
  /** The stored text, or that compressed; nothing where it is packed: one of them is enough. */
  #text: Buffer;
  /** The text is compressed. */
  #resting: Resting | undefined = undefined;
  #bits: number;
  /** How etcd had it, where values are encrypted. */
  readonly form: StoredForm | undefined;

  constructor(parts: EntryParts) {
    const { collection, key, modRevision, bytes, size, mark, form, isRecoded, isShared } = parts;
    this.collection = collection;
    this.key = key;
    this.modRevision = modRevision;
    this.#text = bytes;
    this.size = size ?? bytes.length;
    this.#bits = (isRecoded === true ? recoded : 0) | (isShared === true ? shared : 0);
    this.form = form;
    this.mark = mark;
  }

  /** Changes if a new configuration of encryption says how it should be stored. */
  get isRecoded(): boolean {
    return this.wasRecoded || this.form?.isStale === true;
  }

  /** etcd had an older form of the text. */
  get wasRecoded(): boolean {
    return (this.#bits & recoded) !== 0;
  }

  get isListed(): boolean {
    return (this.#bits & listed) !== 0;
  }

  set isListed(value: boolean) {
    this.#bits = value ? this.#bits | listed : this.#bits & ~listed;
  }

  get isPassed(): boolean {
    return (this.#bits & passed) !== 0;
  }

  /** Lists leave the text where it is. */
  get isShared(): boolean {
    return (this.#bits & shared) !== 0;
  }

  get bytes(): Buffer {
    this.#bits |= read;
    if (this.#resting !== undefined) return this.#inflated(this.#resting);
    const { pack, packedAt, versionAt, size: storedLength } = this;
    return pack === undefined ? this.#text : storedTextOf({ pack, packedAt, versionAt, storedLength });
  }

  /** The text up to and with the byte at `versionAt`, if it rests. */
  get opening(): Buffer | undefined {
    return this.#resting?.opening;
  }

  keepItem(pack: Pack, index: number): void {
    // It moves into memory of this thread.
    if (this.pack !== undefined) this.#bits &= ~shared;
    this.pack?.leave(this, this.packedAt);
    this.#text = nothing;
    this.#resting = undefined;
    this.pack = pack;
    this.packedAt = index;
    pack.join(this, index);
  }

  shared(): Buffer | undefined {
    if (this.size < minSharedBytes || this.pack !== undefined || this.#resting !== undefined)
      return undefined;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  /** The compressed text in memory that other threads may have, too; undefined if it does not rest. */
  atRest(): TextAtRest | undefined {
    if (this.#resting === undefined) return undefined;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return { packed: this.#text, opening: this.#resting.opening, versionAt: this.versionAt, size: this.size };
  }

  /** The text in memory that other threads may have, too, whatever its size. */
  share(): Buffer {
    if (this.pack !== undefined) return sharedCopy(this.bytes);
    this.#wake();
    this.#bits |= fed;
    if (!(this.#text.buffer instanceof SharedArrayBuffer)) this.#text = sharedCopy(this.#text);
    return this.#text;
  }

  unpack(): void {
    if (this.pack !== undefined) this.#text = ownCopy(this.bytes);
    this.pack = undefined;
    this.#bits &= ~shared;
  }

  /** Takes the text out of the message that it came in. */
  settle(): void {
    if (this.pack === undefined) this.#text = aloneInMemory(this.#text);
  }

  pass(): void {
    this.#bits |= passed;
    this.pack?.pass(this, this.packedAt);
  }

  /**
   * The text, to be compressed; 'read' if it was read since the last call. undefined if it does not lie alone or is compressed
   * already. That of an earlier state is kept by events.
   */
  textToRest(): Buffer | 'read' | undefined {
    const { pack } = this;
    if (pack !== undefined || this.#resting !== undefined || (this.#bits & fed) !== 0) return undefined;
    if ((this.#bits & read) === 0) return this.#text;
    this.#bits &= ~read;
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
    this.#resting = { opening, lately };
  }

  #inflated({ lately }: Resting): Buffer {
    const known = lately.get(this);
    if (known !== undefined) return known;
    // All in one piece: with a byte more there is room for its end.
    const text = inflateRawSync(this.#text, { chunkSize: Math.max(64, this.size + 1) });
    lately.set(this, text);
    return text;
  }

  #wake(): void {
    if (this.#resting === undefined) return;
    this.#text = this.#inflated(this.#resting);
    this.#resting = undefined;
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
