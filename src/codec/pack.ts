/** Texts of objects that a list has written behind each other into one buffer, where they stay. */

export interface PackedText {
  /** Takes the text out into memory of its own. */
  unpack(): void;
}

/**
 * Any text in the buffer keeps all of it in memory. Therefore those who leave take their text along, and once less than
 * half of the buffer is used, so do the others: what is packed holds no more than twice its own size.
 */
export class Pack {
  readonly #size: number;
  readonly #members = new Set<PackedText>();
  #used = 0;

  /** @param size bytes of the buffer */
  constructor(size: number) {
    this.#size = size;
  }

  /** The text lies in the buffer from now on, and takes so many bytes of it. */
  join(member: PackedText, bytes: number): void {
    this.#members.add(member);
    this.#used += bytes;
  }

  /** The text lies elsewhere now. */
  leave(member: PackedText, bytes: number): void {
    if (!this.#members.delete(member)) return;
    this.#used -= bytes;
    if (this.#used * 2 >= this.#size) return;
    for (const other of this.#members) other.unpack();
    this.#members.clear();
  }
}

const openingBrace = 0x7b;

/** An item that a list has packed. */
export interface PackedItem {
  readonly text: Buffer;
  readonly head: Buffer;
  /** Where the resource version stands in the whole object. */
  readonly versionAt: number;
  /** Of the stored text, in bytes. */
  readonly storedLength: number;
}

/** The stored text again. */
export function storedTextOf({ text, head, versionAt: offset, storedLength }: PackedItem): Buffer {
  const bytes = Buffer.allocUnsafe(storedLength);
  bytes[0] = openingBrace;
  head.copy(bytes, 1);
  text.copy(bytes, 1 + head.length, 1, offset - head.length);
  text.copy(bytes, offset, offset + text.length - storedLength);
  return bytes;
}
