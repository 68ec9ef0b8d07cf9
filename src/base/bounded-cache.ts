/** Remembers what was used last: at most so many entries, or so much weight; what was not used for longest goes first. */
export class BoundedCache<K, V> {
  private readonly entries = new Map<K, V>();
  private readonly limit: number;
  private readonly weigh: ((value: V) => number) | undefined;
  private total = 0;

  /** @param weigh what a value counts for, the same each time; absent: one */
  constructor(limit: number, weigh?: (value: V) => number) {
    this.limit = limit;
    this.weigh = weigh;
  }

  get size(): number {
    return this.entries.size;
  }

  /** What all that is remembered counts for together. */
  get weight(): number {
    return this.total;
  }

  /** What is remembered under the key; it counts as used. */
  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  /** A value that is too heavy for the whole cache is not remembered. */
  set(key: K, value: V): void {
    this.delete(key);
    this.entries.set(key, value);
    this.total += this.weightOf(value);
    while (this.total > this.limit) {
      const [oldest] = this.entries.keys();
      if (oldest === undefined) return;
      this.delete(oldest);
    }
  }

  /** All that is remembered; what was not used for longest comes first. */
  all(): IterableIterator<[K, V]> {
    return this.entries.entries();
  }

  delete(key: K): void {
    const value = this.entries.get(key);
    if (value !== undefined) this.total -= this.weightOf(value);
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
    this.total = 0;
  }

  private weightOf(value: V): number {
    return this.weigh === undefined ? 1 : this.weigh(value);
  }
}
