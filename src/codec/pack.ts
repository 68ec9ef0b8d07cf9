/** Texts of objects that a list has written behind each other into one buffer, where they stay. */

export interface PackedText {
  /** Takes the text out into memory of its own. */
  unpack(): void;
}

/** Where texts lie behind each other. */
export interface PackedTexts {
  /** Each as an item of a list, with its resource version in place and a comma behind it. */
  readonly memory: Buffer;
  /** The members that all of them lack behind their opening brace; empty if they have all. */
  readonly head: Buffer;
  /** Where each ends in the memory; the next one begins behind a comma. */
  readonly ends: Uint32Array;
}

/**
 * Any text in the buffer keeps all of it in memory. Therefore those who leave take their text along, and once less than
 * half of the buffer is used, so do the others: what is packed holds no more than twice its own size.
 *
 * A text knows its index only: a buffer of its own (104 bytes) and a place in a set (34) would be a fifth of what an object takes
 * beside its text.
 */
export class Pack {
  readonly memory: Buffer;
  readonly head: Buffer;
  readonly #ends: Uint32Array;
  #members: (PackedText | undefined)[] = [];
  #used = 0;

  constructor({ memory, head, ends }: PackedTexts) {
    this.memory = memory;
    this.head = head;
    this.#ends = ends;
  }

  /** The text lies in the buffer from now on. */
  join(member: PackedText, index: number): void {
    this.#members[index] = member;
    this.#used += this.lengthOf(index) + 1;
  }

  /** The text lies elsewhere now. */
  leave(index: number): void {
    if (this.#members[index] === undefined) return;
    this.#members[index] = undefined;
    this.#used -= this.lengthOf(index) + 1;
    if (this.#used * 2 >= this.memory.length) return;
    const others = this.#members;
    this.#members = [];
    for (const other of others) other?.unpack();
  }

  startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0) + 1;
  }

  endOf(index: number): number {
    return this.#ends[index] ?? 0;
  }

  /** Bytes of an item. */
  lengthOf(index: number): number {
    return this.endOf(index) - this.startOf(index);
  }

  /** An item, made on each call. */
  item(index: number): Buffer {
    return this.memory.subarray(this.startOf(index), this.endOf(index));
  }
}

/** A text and its place, if it has one. */
interface Placed {
  readonly pack?: Pack | undefined;
  readonly packedAt?: number;
}

/** Whether the text lies directly behind the other one, perhaps in another pack. */
export function isBehind(next: Placed, last: Placed): boolean {
  if (next.pack === undefined || last.pack === undefined) return false;
  if (next.pack !== last.pack && next.pack.memory.buffer !== last.pack.memory.buffer) return false;
  return startInMemory(next) === endInMemory(last) + 1;
}

/** Offset in the memory that the pack is a part of. */
export function startInMemory({ pack, packedAt = 0 }: Placed): number {
  return pack === undefined ? 0 : pack.memory.byteOffset + pack.startOf(packedAt);
}

export function endInMemory({ pack, packedAt = 0 }: Placed): number {
  return pack === undefined ? 0 : pack.memory.byteOffset + pack.endOf(packedAt);
}

const openingBrace = 0x7b;

/** An object that is packed. */
export interface PackedItem {
  readonly pack: Pack;
  readonly packedAt: number;
  /** Where the resource version stands in the whole object. */
  readonly versionAt: number;
  /** Of the stored text, in bytes. */
  readonly storedLength: number;
}

/** The stored text again. */
export function storedTextOf({ pack, packedAt, versionAt: offset, storedLength }: PackedItem): Buffer {
  const { memory, head } = pack;
  const [start, end] = [pack.startOf(packedAt), pack.endOf(packedAt)];
  const bytes = Buffer.allocUnsafe(storedLength);
  bytes[0] = openingBrace;
  head.copy(bytes, 1);
  memory.copy(bytes, 1 + head.length, start + 1, start + offset - head.length);
  memory.copy(bytes, offset, end - (storedLength - offset), end);
  return bytes;
}
