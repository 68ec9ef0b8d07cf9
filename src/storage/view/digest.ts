/**
 * A digest of a set of keys with their revisions: two sums of 32 bits over hashes of the pairs. It does not depend on
 * the order, so a change costs a hash of the key and an addition, whatever the size of the set. Two different sets
 * have the same digest by chance once in 2^64.
 */
import type { ObjectKey, Revision } from '../types.ts';

/** What the last hashed key gave. */
let left = 0;
let right = 0;

/** Two hashes of a key with different factors; each step is a bijection, so that no character is lost. */
function hash(key: ObjectKey): void {
  let [a, b] = [0x3c6ef372, 0x1b873593];
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x85ebca77);
    b ^= b >>> 15;
  }
  left = a ^ (a >>> 16);
  right = b ^ key.length;
}

/** Spreads every bit over all others (the finalizer of MurmurHash3, which is in the public domain). */
function spread(bits: number): number {
  let h = bits ^ (bits >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export class Digest {
  #low = 0;
  #high = 0;

  /** Both sums. */
  get value(): readonly [low: number, high: number] {
    return [this.#low, this.#high];
  }

  /** Two digests of the same pairs are equal. */
  equals(other: Digest): boolean {
    return this.#low === other.#low && this.#high === other.#high;
  }

  /** As it is now. */
  copy(): Digest {
    const copy = new Digest();
    copy.#low = this.#low;
    copy.#high = this.#high;
    return copy;
  }

  add(key: ObjectKey, revision: Revision): void {
    hash(key);
    this.#sum(1, revision);
  }

  /** The key was at revision `before` and is at `after`; 0 for a revision means that it is not in the set. */
  replace(key: ObjectKey, before: Revision, after: Revision): void {
    if (before === after) return;
    hash(key);
    if (before !== 0) this.#sum(-1, before);
    if (after !== 0) this.#sum(1, after);
  }

  #sum(sign: 1 | -1, revision: Revision): void {
    const upper = Math.floor(revision / 0x1_0000_0000);
    const mixed = Math.imul(revision, 0x27d4eb2f) ^ upper;
    this.#low = (this.#low + sign * spread(left ^ mixed)) | 0;
    this.#high = (this.#high + sign * spread(Math.imul(right, 0x165667b1) + mixed)) | 0;
  }
}
