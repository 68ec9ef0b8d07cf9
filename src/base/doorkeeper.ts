/**
 * Admits a key to a cache at its second occurrence within a window. Keys that occur once, or in a cycle larger than
 * the cache, would evict others without being reused (the doorkeeper of TinyLFU, Einziger et al.).
 */
export class Doorkeeper<K> {
  readonly #limit: number;
  #recent = new Set<K>();
  #former: ReadonlySet<K> = new Set<K>();
  #weight = 0;

  /** @param limit the weight after which a key is forgotten, at the earliest; at the latest after twice as much */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the key occurred recently. */
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
