/**
 * Stands before a cache and lets in what comes a second time within a while. What comes once, or round and round in a
 * circle larger than the cache, would push out the rest and never be asked for (the doorkeeper of TinyLFU, Einziger and others).
 */
export class Doorkeeper<K> {
  readonly #limit: number;
  #recent = new Set<K>();
  #former: ReadonlySet<K> = new Set<K>();
  #weight = 0;

  /** @param limit how much weight may pass before a key is forgotten, at the least; twice as much at the most */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when the key came before, not too long ago. */
  admits(key: K, weight: number): boolean {
    const isKnown = this.#recent.has(key) || this.#former.has(key);
    if (!this.#recent.has(key)) this.#note(key, weight);
    return isKnown;
  }

  #note(key: K, weight: number): void {
    if (this.#weight + weight > this.#limit) {
      this.#former = this.#recent;
      this.#recent = new Set();
      this.#weight = 0;
    }
    this.#recent.add(key);
    this.#weight += weight;
  }
}
