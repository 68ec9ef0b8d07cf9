/** Randomness that repeats: what is decided by it comes from a seed. */
import type { Random } from './random.ts';

/** A generator with a period of about 2^128 (sfc32 of PractRand). */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Equal seeds and names give equal numbers. @param name which of the generators of a seed */
  constructor(seed: number, name = '') {
    this.#a = hash(`a${name}`, seed);
    this.#b = hash(`b${name}`, seed);
    this.#c = hash(`c${name}`, seed);
    for (let i = 0; i < 15; i += 1) this.word();
  }

  /** 32 bits. */
  word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  number(): number {
    return this.word() / 2 ** 32;
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.word() & 255));
  }

  uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.number() * below);
  }

  /** A number of that range. */
  between(least: number, most: number): number {
    return least + this.number() * (most - least);
  }

  /** True with that probability. */
  chance(probability: number): boolean {
    return this.number() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new RangeError('nothing to pick from');
    return found;
  }

  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.number() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [K, number])[0];
  }
}

/** FNV-1a over the name, mixed with the seed. */
function hash(name: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (const char of name) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) | 0;
}
