/**
 * How far the range of a page reaches. etcd looks at every key of a range to count it, whatever the limit of the answer
 * (2 µs for each key): to ask for page after page of "everything that is left" of 1,000,000 objects takes it half an
 * hour. So where much is left, a page asks for a window that holds a few pages' worth.
 *
 *   all ──more keys than a window should have──▶ as wide as what the page spanned, twice
 *    ▲                                            │ exhausted, and few keys were in it
 *    │                                            ▼
 *    └──────few keys are left─────────────── wider, until it reaches over the gap
 *
 * Keys are taken for numbers (base 256, after the point) so that a width can be added to them.
 */
import type { KeyRange } from '../keys.ts';

/** More keys than this make a window too wide. */
export const mostInWindow = 5_000;
/** No more keys than this, and the next window is wider. */
const fewInWindow = mostInWindow / 16;
/** So many bytes of a key count; what differs only behind them is one place. */
const digits = 512;
const one = 1n << BigInt(8 * digits);

/** What an answer says of its window. */
export interface WindowAnswer {
  /** The first and the last key of the page; absent: it is empty. */
  readonly first?: Buffer | undefined;
  readonly last?: Buffer | undefined;
  /** Keys of the page, and of the whole window from where the page began. */
  readonly length: number;
  readonly count: number;
}

export class KeyWindow {
  readonly #rangeEnd: bigint;
  readonly #rangeEndKey: Buffer;
  #from: Buffer;
  #end: bigint;
  /** Undefined: as wide as the range. */
  #width: bigint | undefined;
  /** The gap between keys that was met last when windows came back empty; there is often another like it. */
  #gap = 0n;
  #isInGap = false;
  #lastKey = 0n;
  /** Keys that are left in the range; undefined until an answer has told. */
  #left: number | undefined;

  constructor({ key, range_end: end }: KeyRange) {
    this.#from = key;
    this.#rangeEndKey = end;
    this.#rangeEnd = positionOf(end);
    this.#end = this.#rangeEnd;
  }

  /** The range to ask for next. */
  get range(): KeyRange {
    return { key: this.#from, range_end: this.#reachesEnd ? this.#rangeEndKey : keyAt(this.#end) };
  }

  /** True when nothing is left to ask for. */
  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Moves on behind the page that this answer to `range` gives. */
  take(answer: WindowAnswer): void {
    const { first, last, length, count } = answer;
    const left = count - length;
    if (this.#reachesEnd) this.#left = left;
    else if (this.#left !== undefined) this.#left -= length;
    if (first !== undefined && last !== undefined) this.#pass(first, last);
    if (left > 0) this.#stay(answer);
    else this.#moveOn(answer);
  }

  /** The window holds more than etcd can answer in time. */
  narrow(): void {
    const width = this.#end - positionOf(this.#from);
    this.#setWidth(width >> 8n);
  }

  get #reachesEnd(): boolean {
    return this.#end >= this.#rangeEnd;
  }

  #pass(first: Buffer, last: Buffer): void {
    if (this.#isInGap) this.#gap = positionOf(first) - this.#lastKey;
    this.#isInGap = false;
    this.#lastKey = positionOf(last);
    this.#from = Buffer.concat([last, Buffer.of(0)]);
  }

  /** The window is not exhausted. */
  #stay({ first, last, length, count }: WindowAnswer): void {
    if (count <= mostInWindow || first === undefined || last === undefined) return;
    const spanned = positionOf(last) - positionOf(first);
    const pages = BigInt(Math.max(2, Math.ceil(mostInWindow / 4 / length)));
    this.#setWidth(length > 1 ? spanned * pages : (this.#end - positionOf(last)) >> 8n);
  }

  /** Nothing is left in the window. */
  #moveOn({ count }: WindowAnswer): void {
    if (this.#reachesEnd) {
      this.#left = 0;
      return;
    }
    const width = this.#width ?? one;
    this.#from = keyAt(this.#end);
    this.#isInGap = count <= fewInWindow;
    if (this.#left !== undefined && this.#left <= mostInWindow) this.#setWidth(one);
    else if (this.#isInGap) this.#setWidth(max(width * 4n, this.#gap * 2n));
    else this.#setWidth(width);
  }

  #setWidth(width: bigint): void {
    this.#width = max(width, 1n);
    this.#end = positionOf(this.#from) + this.#width;
    if (this.#end > this.#rangeEnd) this.#end = this.#rangeEnd;
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function positionOf(key: Buffer): bigint {
  const padded = Buffer.alloc(digits);
  key.copy(padded);
  return BigInt(`0x${padded.toString('hex')}`);
}

function keyAt(position: bigint): Buffer {
  const bytes = Buffer.from(position.toString(16).padStart(2 * digits, '0'), 'hex');
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}
