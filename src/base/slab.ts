/**
 * Small buffers that live shortly, cut from larger ones: a buffer of its own for each answer of a few kilobytes
 * would be external memory for the collector to count and to free. A piece keeps its whole slab alive, so nothing
 * cut from one may be kept.
 */
export class Slab {
  readonly #size: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(size: number) {
    this.#size = size;
  }

  /** `size` bytes, not cleared. Large ones get a buffer of their own. */
  take(size: number): Buffer {
    if (size * 8 > this.#size) return Buffer.allocUnsafeSlow(size);
    if (size > this.#rest.length) this.#rest = Buffer.allocUnsafeSlow(this.#size);
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }
}
