/**
 * Small short-lived buffers, cut from larger ones: separate buffers for responses of a few kilobytes would be
 * external memory for the garbage collector. A piece retains its whole slab, so it must not be kept.
 */
export class Slab {
  readonly #size: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(size: number) {
    this.#size = size;
  }

  /** `size` bytes, not cleared. Large ones are allocated separately. */
  take(size: number): Buffer {
    if (size * 8 > this.#size) return Buffer.allocUnsafeSlow(size);
    if (size > this.#rest.length) this.#rest = Buffer.allocUnsafeSlow(this.#size);
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }
}
