/**
 * Marks of writes. Every value that this service writes ends in 17 characters of JSON white space that encode a
 * number unique to that write; the value stays valid JSON. Two replicas that replace the same revision by equal
 * bytes (both counting 1 up to 2, both taking a free lock) differ in the mark, so that a replica whose answer
 * was lost can tell its own write from the other's: only one of them may be told that it succeeded.
 */
import { randomInt } from 'node:crypto';

const alphabet = Buffer.from(' \t\n\r');
const start = 0x0a;
const digits = 16;
/** Length of a mark. */
const markLength = digits + 1;

/** A write's mark as a signed 32-bit number; 0 is none. */
export type WriteMark = number;

/** Gives marks that differ from each other and, but for a chance of 2^-32 per pair, from other processes' marks. */
export class MarkMaker {
  #last = randomInt(2 ** 32) | 0;

  /** A new mark. The step is odd, so that all numbers are visited before one returns. */
  next(): WriteMark {
    this.#last = (this.#last + 0x9e37_79b1) | 0;
    return this.#last === 0 ? this.next() : this.#last;
  }
}

/** The bytes with the mark behind them. */
export function withMark(bytes: Buffer, mark: WriteMark): Buffer {
  const marked = Buffer.allocUnsafe(bytes.length + markLength);
  marked.set(bytes);
  writeMark(marked, bytes.length, mark);
  return marked;
}

function writeMark(target: Buffer, at: number, mark: WriteMark): void {
  target[at] = start;
  for (let i = 0; i < digits; i += 1) target[at + 1 + i] = alphabet[(mark >>> (2 * i)) & 3] ?? start;
}

/** The mark at the end of a stored value; 0 when it was written by somebody else, without one. */
export function markOf(value: Buffer): WriteMark {
  const end = value.length - markLength;
  if (end <= 0 || value[end] !== start) return 0;
  let mark = 0;
  for (let i = 0; i < digits; i += 1) {
    const digit = digitOf(value[end + 1 + i]);
    if (digit < 0) return 0;
    mark |= digit << (2 * i);
  }
  return mark;
}

/** (A look into a buffer of four leaves JavaScript, sixteen times for each value that is read.) */
function digitOf(byte: number | undefined): number {
  for (let digit = 0; digit < alphabet.length; digit += 1) if (alphabet[digit] === byte) return digit;
  return -1;
}

/** A view of the stored value without its mark. */
export function withoutMark(value: Buffer, mark: WriteMark): Buffer {
  return mark === 0 ? value : value.subarray(0, value.length - markLength);
}
