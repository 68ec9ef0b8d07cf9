/**
 * How many objects to ask for in one page. etcd bounds answers by the number of objects, not by their bytes: the sizes
 * that were seen say how many fit, and an answer that is larger or later than expected makes the next one smaller.
 */
import type { KeyValue } from './message-types.ts';

const firstLimit = 200;
const mostObjects = 2_000;
/** Aim for one page: what is put together and taken apart of it in one step takes a millisecond or two. */
const pageBytes = 1024 * 1024;
/** A page whose values are larger than they seemed is refused before it comes. */
const mostPageBytes = 8 * 1024 * 1024;
/** Answers that take longer are asked for in smaller pieces. */
const slowMs = 1_000;

export class PageSize {
  #limit = firstLimit;
  /** What a page may hold at the pace of the last one. */
  #bytes = pageBytes;

  get limit(): number {
    return this.#limit;
  }

  /** What an answer may have at most. An object alone has what it has. */
  get maxBytes(): number {
    return this.#limit === 1 ? Infinity : mostPageBytes;
  }

  /** A page came after `ms`. */
  take(kvs: readonly KeyValue[], ms: number): void {
    if (ms > slowMs) this.#bytes /= 2;
    else this.#bytes = Math.min(pageBytes, this.#bytes * 2);
    if (kvs.length === 0) return;
    const bytes = kvs.reduce((sum, kv) => sum + kv.key.length + kv.value.length, 0);
    const fitting = Math.floor((this.#bytes * kvs.length) / Math.max(1, bytes));
    this.#limit = Math.max(1, Math.min(mostObjects, fitting));
  }

  /** No page came: it was too large, or too late. False: it cannot be any smaller. */
  shrink(): boolean {
    if (this.#limit === 1) return false;
    this.#limit = Math.max(1, this.#limit >> 3);
    this.#bytes = Math.max(1, this.#bytes >> 3);
    return true;
  }
}
