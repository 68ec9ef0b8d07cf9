/**
 * The key range of a page request. etcd counts every key of the requested range, regardless of the limit (2 µs per
 * key): requesting the rest of 1,000,000 objects with every page takes half an hour. So if many keys are left, a page
 * requests a window of a few pages.
 *
 *   all ──more keys than a window should have──▶ twice as wide as the range of the page
 *    ▲                                            │ exhausted, and it had few keys
 *    │                                            ▼
 *    └──────few keys are left─────────────── wider, until it spans the gap
 *
 * Keys are treated as fractions in base 256, so that a width can be added to them.
 */
import type { KeyRange } from '../keys.ts';

/** A window with more keys is too wide. */
export const mostInWindow = 5_000;
/** After a window with at most this many keys, the next one is wider. */
const fewInWindow = mostInWindow / 16;
/** Significant bytes of a key. */
const digits = 512;
const one = 1n << BigInt(8 * digits);

/** The response to a page request. */
export interface WindowAnswer {
  /** First and last key of the page; absent if it is empty. */
  readonly first?: Buffer | undefined;
  readonly last?: Buffer | undefined;
  /** Number of keys of the page, and of the window from the start of the page. */
  readonly length: number;
  readonly count: number;
}

export class KeyWindow {
  readonly #rangeEnd: bigint;
  readonly #rangeEndKey: Buffer;
  #from: Buffer;
  #end: bigint;
  /** undefined for the whole range. */
  #width: bigint | undefined;
  /** The last gap between keys that was found by empty windows; similar gaps often follow. */
  #gap = 0n;
  #isInGap = false;
  #lastKey = 0n;
  /** Remaining keys of the range; undefined until known. */
  #left: number | undefined;

  constructor({ key, range_end: end }: KeyRange) {
    this.#from = key;
    this.#rangeEndKey = end;
    this.#rangeEnd = positionOf(end);
    this.#end = this.#rangeEnd;
  }

  /** The next range to request. */
  get range(): KeyRange {
    return { key: this.#from, range_end: this.#reachesEnd ? this.#rangeEndKey : keyAt(this.#end) };
  }

  /** True when the range is complete. */
  get isDone(): boolean {
    return this.#left === 0;
  }

  /** Advances past the page of this response. */
  take(answer: WindowAnswer): void {
    const { first, last, length, count } = answer;
    const left = count - length;
    if (this.#reachesEnd) this.#left = left;
    else if (this.#left !== undefined) this.#left -= length;
    if (first !== undefined && last !== undefined) this.#pass(first, last);
    if (left > 0) this.#stay(answer);
    else this.#moveOn(answer);
  }

  /** Narrows the window after a timeout. */
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

  /** The window has more keys. */
  #stay({ first, last, length, count }: WindowAnswer): void {
    if (count <= mostInWindow || first === undefined || last === undefined) return;
    const spanned = positionOf(last) - positionOf(first);
    const pages = BigInt(Math.max(2, Math.ceil(mostInWindow / 4 / length)));
    this.#setWidth(length > 1 ? spanned * pages : (this.#end - positionOf(last)) >> 8n);
  }

  /** The window is exhausted. */
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
