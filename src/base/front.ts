/**
 * Takes the items of a set, or the entries of a map, in their order, while others come and go. An iterator that begins anew for
 * each item passes all that were taken since the collection had less room made: a queue of a hundred thousand took a second, and
 * one of a million two minutes.
 */
export class Front<T> {
  readonly #items: Iterable<T> & { readonly size: number };
  /** Behind all that were taken: what is added comes to the end. */
  #rest: Iterator<T> | undefined;

  constructor(items: Iterable<T> & { readonly size: number }) {
    this.#items = items;
  }

  /** The first item, which the caller removes at once; undefined if there is none. */
  next(): T | undefined {
    if (this.#items.size === 0) {
      this.#rest = undefined;
      return undefined;
    }
    return this.#nextOfRest() ?? this.#nextOfRest();
  }

  /** An iterator that has ended once goes on no more. */
  #nextOfRest(): T | undefined {
    this.#rest ??= this.#items[Symbol.iterator]();
    const next: IteratorResult<T, unknown> = this.#rest.next();
    if (next.done !== true) return next.value;
    this.#rest = undefined;
    return undefined;
  }
}
