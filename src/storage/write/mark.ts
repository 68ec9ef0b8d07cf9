/**
 * Marks of writes. Every written value ends in 17 characters of JSON white space that encode a number unique to the
 * write; the value remains valid JSON. If two replicas replace the same revision by equal bytes (both increment 1 to
 * 2, or take a free lock), the marks differ, so a replica whose response was lost can distinguish its write from the
 * other one: only one of them may report success.
 */
import type { Random } from '../../base/random.ts';

const alphabet = Buffer.from(' \t\n\r');
const start = 0x0a;
const digits = 16;
/** Length of a mark. */
const markLength = digits + 1;

/** The mark of a write as a signed 32-bit number; 0 for none. */
export type WriteMark = number;

/**
 * Generates marks that differ from each other and, except with probability 2^-32 per pair, from those of other
 * processes.
 */
export class MarkMaker {
  #last: number;

  constructor(random: Pick<Random, 'bytes'>) {
    this.#last = random.bytes(4).readInt32LE();
  }

  /** A new mark. The step is odd, so all numbers are used before one repeats. */
  next(): WriteMark {
    this.#last = (this.#last + 0x9e37_79b1) | 0;
    return this.#last === 0 ? this.next() : this.#last;
  }
}

/** The bytes followed by the mark. */
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

/** The mark at the end of a stored value; 0 if another program wrote it without a mark. */
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

/** A loop, as `Buffer.indexOf` leaves JavaScript: sixteen calls per value. */
function digitOf(byte: number | undefined): number {
  for (let digit = 0; digit < alphabet.length; digit += 1) if (alphabet[digit] === byte) return digit;
  return -1;
}

/** A view of the stored value without its mark. */
export function withoutMark(value: Buffer, mark: WriteMark): Buffer {
  return mark === 0 ? value : value.subarray(0, value.length - markLength);
}
