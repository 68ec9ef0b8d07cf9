/** Bytes of CBOR in a buffer that grows. */
import { halfBits } from './half-float.ts';
import { major, simple, tags } from './heads.ts';

export class CborWriter {
  #target: Buffer;
  #at = 0;

  /** @param capacity bytes, about as many as will be written */
  constructor(capacity = 1_024) {
    this.#target = Buffer.allocUnsafe(capacity);
  }

  /** All that was written, in memory of its own. */
  finish(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#at);
    this.#target.copy(bytes, 0, 0, this.#at);
    return bytes;
  }

  /** The head of an item, with its shortest argument. */
  head(type: number, argument: number): void {
    const top = type << 5;
    this.#reserve(9);
    if (argument < 24) this.#target[this.#at++] = top | argument;
    else if (argument < 0x100) {
      this.#target[this.#at++] = top | 24;
      this.#target[this.#at++] = argument;
    } else if (argument < 0x10000) {
      this.#target[this.#at++] = top | 25;
      this.#at = this.#target.writeUInt16BE(argument, this.#at);
    } else if (argument < 0x100000000) {
      this.#target[this.#at++] = top | 26;
      this.#at = this.#target.writeUInt32BE(argument, this.#at);
    } else this.#longHead(top, BigInt(argument));
  }

  /** An integer within 64 bits. */
  integer(value: bigint): void {
    this.#reserve(9);
    const isNegative = value < 0n;
    const argument = isNegative ? -1n - value : value;
    const type = isNegative ? major.negative : major.unsigned;
    if (argument <= Number.MAX_SAFE_INTEGER) this.head(type, Number(argument));
    else this.#longHead(type << 5, argument);
  }

  /** A text, as a byte string: what the reference does, which does not look for invalid characters in it. */
  string(text: string): void {
    if (text.length < 24 && this.#shortAscii(text)) return;
    const length = Buffer.byteLength(text);
    this.head(major.bytes, length);
    this.#reserve(length);
    this.#at += this.#target.write(text, this.#at);
  }

  /** Most texts are keys and names: written here they take a third of the time. @returns false for other characters */
  #shortAscii(text: string): boolean {
    this.#reserve(24);
    const target = this.#target;
    let at = this.#at + 1;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      target[at++] = code;
    }
    target[this.#at] = (major.bytes << 5) | text.length;
    this.#at = at;
    return true;
  }

  /** Bytes that are base64 where they become text. */
  base64(bytes: Buffer): void {
    this.head(major.tag, tags.toBase64);
    this.head(major.bytes, bytes.length);
    this.raw(bytes);
  }

  /** A number that is no integer, in as few bytes as hold it. */
  float(value: number): void {
    this.#reserve(9);
    const half = halfBits(value);
    if (half !== undefined) {
      this.#target[this.#at++] = (major.simple << 5) | simple.half;
      this.#at = this.#target.writeUInt16BE(half, this.#at);
    } else if (Math.fround(value) === value) {
      this.#target[this.#at++] = (major.simple << 5) | simple.single;
      this.#at = this.#target.writeFloatBE(value, this.#at);
    } else {
      this.#target[this.#at++] = (major.simple << 5) | simple.double;
      this.#at = this.#target.writeDoubleBE(value, this.#at);
    }
  }

  /** Bytes as they are. */
  raw(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#at += bytes.copy(this.#target, this.#at);
  }

  #longHead(top: number, argument: bigint): void {
    this.#target[this.#at++] = top | 27;
    this.#at = this.#target.writeBigUInt64BE(argument, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#target.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#target.length * 2, this.#at + bytes));
    this.#target.copy(larger, 0, 0, this.#at);
    this.#target = larger;
  }
}
