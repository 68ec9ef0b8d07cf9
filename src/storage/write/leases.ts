/**
 * Leases of objects that expire. A lease costs etcd more than a key, so that objects written within one window share
 * one: it lasts longer than their time to live by that window. (kube-apiserver: lease_manager.go, and its flag
 * `--lease-reuse-duration-seconds`.)
 */
import type { PassiveClock } from '../../base/clock.ts';
import type { Int64 } from '../etcd/message-types.ts';
import type { StorageMetrics, StorageOptions } from '../options.ts';
import type { CollectionId } from '../types.ts';

/** Maximum objects of a lease: etcd deletes all of them in one transaction. */
const maxObjects = 1_000;
/** The window is at most this part of the time to live. */
const windowShare = 0.05;

export interface LeasesDependencies {
  readonly client: { grantLease(seconds: number): Promise<{ readonly ID: Int64 }> };
  readonly clock: PassiveClock;
  readonly metrics: Pick<StorageMetrics, 'observeLeaseObjects'>;
  /** Maximum window in seconds. */
  readonly reuseSeconds: number;
}

interface Lease {
  readonly id: Int64;
  /** Objects written before this time live at least as long as they should, in milliseconds of the clock. */
  readonly usableUntil: number;
  objects: number;
}

/** The leases of one time to live. */
export class Leases {
  readonly #deps: LeasesDependencies;
  readonly #ttlSeconds: number;
  #current: Lease | undefined;
  #granting: Promise<Lease> | undefined;

  /** @param ttlSeconds time to live of an object after each write */
  constructor(deps: LeasesDependencies, ttlSeconds: number) {
    this.#deps = deps;
    this.#ttlSeconds = ttlSeconds;
  }

  /** A lease for one write; each call counts as an object. @throws EtcdError if etcd does not grant it */
  async take(): Promise<Int64> {
    const { clock } = this.#deps;
    const askedAt = clock.monotonic();
    const isUsable = (lease: Lease | undefined): lease is Lease =>
      lease !== undefined && clock.monotonic() < lease.usableUntil && lease.objects < maxObjects;
    while (!isUsable(this.#current)) {
      // Also without a window, those who waited for a lease share it. One that joined late may not: etcd counts the time
      // from when it granted, however long its answer took.
      const lease = await (this.#granting ??= this.#grant());
      if (askedAt <= lease.usableUntil && lease.objects < maxObjects) return attach(lease);
    }
    return attach(this.#current);
  }

  /** etcd no longer has this lease: it was restored, or an operator revoked it. */
  forget(id: Int64): void {
    if (this.#current !== undefined && String(this.#current.id) === String(id)) this.#current = undefined;
  }

  async #grant(): Promise<Lease> {
    const { client, clock, metrics, reuseSeconds } = this.#deps;
    const window = Math.min(Math.floor(windowShare * this.#ttlSeconds), reuseSeconds);
    const usableUntil = clock.monotonic() + window * 1_000;
    try {
      const { ID: id } = await client.grantLease(this.#ttlSeconds + window);
      if (this.#current !== undefined) metrics.observeLeaseObjects?.(this.#current.objects);
      return (this.#current = { id, usableUntil, objects: 0 });
    } finally {
      this.#granting = undefined;
    }
  }
}

function attach(lease: Lease): Int64 {
  lease.objects += 1;
  return lease.id;
}

/** The leases of the collections whose objects expire. */
export function leasesOf(
  { expiry, metrics }: Pick<StorageOptions, 'expiry' | 'metrics'>,
  deps: Pick<LeasesDependencies, 'client' | 'clock'>,
): (collection: CollectionId) => Leases | undefined {
  if (expiry === undefined) return () => undefined;
  const { collections, ttlSeconds, leaseReuseSeconds: reuseSeconds } = expiry;
  const leases = new Leases({ ...deps, metrics, reuseSeconds }, ttlSeconds);
  return (collection) => (collections.has(collection) ? leases : undefined);
}
