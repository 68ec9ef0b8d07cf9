/**
 * A map by texts that may have a million entries. `Map` copies all of its entries in one step whenever their number doubles
 * or halves, which takes 80 ms for a million: here they are shared out to maps of which each is small.
 */

/** With a million entries each copies some ten thousand at once. */
const parts = 64;
/** As many are in one map: there are thousands of wide maps of a few entries. Sharing them out takes a millisecond or two. */
const mostInOne = 8_192;
/** Last characters of a key that choose its part: names and UIDs differ there. */
const seen = 4;

/** Iteration has no order, and may or may not include entries that are added or removed meanwhile. */
export class WideMap<V> {
  #parts: readonly Map<string, V>[] = [new Map<string, V>()];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#partOf(key).has(key);
  }

  get(key: string): V | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: string, value: V): void {
    const part = this.#partOf(key);
    const before = part.size;
    part.set(key, value);
    this.#size += part.size - before;
    if (this.#parts.length === 1 && this.#size > mostInOne) this.#shareOut();
  }

  /** @returns whether there was one */
  delete(key: string): boolean {
    const wasThere = this.#partOf(key).delete(key);
    if (wasThere) this.#size -= 1;
    return wasThere;
  }

  *values(): Generator<V, void, undefined> {
    for (const part of this.#parts) yield* part.values();
  }

  *keys(): Generator<string, void, undefined> {
    for (const part of this.#parts) yield* part.keys();
  }

  *entries(): Generator<[string, V], void, undefined> {
    for (const part of this.#parts) yield* part.entries();
  }

  #shareOut(): void {
    const before = this.#parts;
    this.#parts = Array.from({ length: parts }, () => new Map<string, V>());
    for (const part of before) for (const [key, value] of part) this.#partOf(key).set(key, value);
  }

  #partOf(key: string): Map<string, V> {
    let hash = 0;
    for (let at = Math.max(0, key.length - seen); at < key.length; at += 1)
      hash = (hash * 31 + key.charCodeAt(at)) | 0;
    // The upper bits have what the first of these characters adds.
    return this.#parts[(hash ^ (hash >>> 6)) & (this.#parts.length - 1)] as Map<string, V>;
  }
}
