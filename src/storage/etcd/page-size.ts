/**
 * The number of objects per page. etcd limits responses by number of objects, not by bytes: the number is estimated
 * from the sizes seen so far, and a response that is larger or slower than expected makes the next page smaller.
 */
import type { KeyValue } from './message-types.ts';

const firstLimit = 200;
const mostObjects = 2_000;
/** Target size of a page, which is processed in one or two milliseconds. */
const pageBytes = 1024 * 1024;
/** A larger page is rejected before it is received. */
const mostPageBytes = 8 * 1024 * 1024;
/** Pages that take longer are reduced. */
const slowMs = 1_000;

export class PageSize {
  #limit = firstLimit;
  /** Target size at the speed of the last page. */
  #bytes = pageBytes;

  get limit(): number {
    return this.#limit;
  }

  /** Maximum size of a response; unlimited for a single object. */
  get maxBytes(): number {
    return this.#limit === 1 ? Infinity : mostPageBytes;
  }

  /** Records a page that took `ms`. */
  take(kvs: readonly KeyValue[], ms: number): void {
    if (ms > slowMs) this.#bytes /= 2;
    else this.#bytes = Math.min(pageBytes, this.#bytes * 2);
    if (kvs.length === 0) return;
    const bytes = kvs.reduce((sum, kv) => sum + kv.key.length + kv.value.length, 0);
    const fitting = Math.floor((this.#bytes * kvs.length) / Math.max(1, bytes));
    this.#limit = Math.max(1, Math.min(mostObjects, fitting));
  }

  /** Reduces the page after an error or timeout. Returns false if it cannot be smaller. */
  shrink(): boolean {
    if (this.#limit === 1) return false;
    this.#limit = Math.max(1, this.#limit >> 3);
    this.#bytes = Math.max(1, this.#bytes >> 3);
    return true;
  }
}
