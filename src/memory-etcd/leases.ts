/** Leases: keys that are removed together, when their time is over or on request. */
import sortedBtree from 'sorted-btree';

import type { Int64 } from './messages.ts';

type KeySet = sortedBtree.default<string, undefined>;

export interface Lease {
  readonly id: Int64;
  /** In seconds. */
  readonly ttl: number;
  /** Monotonic time in milliseconds. */
  expiresAt: number;
  keys: KeySet;
}

/** A lease as a key of maps; undefined for none. */
export function leaseText(id: Int64 | null | undefined): string | undefined {
  if (id === undefined || id === null || id === 0) return undefined;
  const text = String(id);
  return text === '0' ? undefined : text;
}

export class Leases {
  readonly #leases: Map<string, Lease>;

  constructor(leases: Iterable<Lease> = []) {
    this.#leases = new Map();
    for (const lease of leases) this.#leases.set(String(lease.id), lease);
  }

  /** A copy, with other times of expiry; its sets of keys are shared until one side changes them. */
  copy(expiresAt: (lease: Lease) => number): Leases {
    const copies = [...this.#leases.values()].map((lease) => ({
      ...lease,
      keys: lease.keys.clone(),
      expiresAt: expiresAt(lease),
    }));
    return new Leases(copies);
  }

  get(id: Int64 | null | undefined): Lease | undefined {
    const text = leaseText(id);
    return text === undefined ? undefined : this.#leases.get(text);
  }

  all(): IterableIterator<Lease> {
    return this.#leases.values();
  }

  add(id: Int64, ttl: number, expiresAt: number): Lease {
    const lease: Lease = { id, ttl, expiresAt, keys: new sortedBtree.default<string, undefined>() };
    this.#leases.set(String(id), lease);
    return lease;
  }

  remove(lease: Lease): void {
    this.#leases.delete(String(lease.id));
  }

  /** The keys of each are those that it had in an earlier state. Takes time for the leases, not for their keys. */
  takeKeysOf(then: Leases): void {
    for (const [text, lease] of this.#leases)
      lease.keys = then.#leases.get(text)?.keys.clone() ?? new sortedBtree.default<string, undefined>();
  }

  attach(id: Int64, key: string): void {
    this.get(id)?.keys.set(key, undefined);
  }

  detach(id: Int64, key: string): void {
    this.get(id)?.keys.delete(key);
  }

  /** The leases that are over, the first to end first. */
  expired(now: number): Lease[] {
    return [...this.#leases.values()]
      .filter(({ expiresAt }) => expiresAt <= now)
      .sort((a, b) => a.expiresAt - b.expiresAt);
  }

  /** When the next one ends; Infinity if there is none. */
  nextExpiry(): number {
    let next = Infinity;
    for (const { expiresAt } of this.#leases.values()) next = Math.min(next, expiresAt);
    return next;
  }
}
