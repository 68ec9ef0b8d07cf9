/**
 * A queue that may hold a hundred thousand items. To take the first one out of an array moves all others, once they are
 * some ten thousand: with 90,000 it took 11 s to take out all.
 */

/** Places in front that are empty before they are given up. */
const mostEmpty = 1_024;

export class Fifo<T> {
  #items: (T | undefined)[] = [];
  /** Of the first item. */
  #at = 0;

  get length(): number {
    return this.#items.length - this.#at;
  }

  /** undefined where there is none. */
  get first(): T | undefined {
    return this.#items[this.#at];
  }

  /** @returns the length then */
  push(item: T): number {
    this.#items.push(item);
    return this.length;
  }

  /** Takes the first item out; undefined where there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#at];
    this.#items[this.#at] = undefined;
    this.#at += 1;
    if (this.length === 0) this.#clear();
    else if (this.#at >= mostEmpty && this.#at >= this.length) this.#giveUpEmpty();
    return item;
  }

  #clear(): void {
    this.#items = [];
    this.#at = 0;
  }

  /** As many places as this copies were taken since the last time. */
  #giveUpEmpty(): void {
    this.#items = this.#items.slice(this.#at);
    this.#at = 0;
  }
}
