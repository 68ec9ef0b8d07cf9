/**
 * A storage of which some collections are in etcd clusters of their own (`--etcd-servers-overrides`). Each cluster has
 * a storage of its own: connections, view, revisions, watches, compaction, leases. Whatever concerns one collection
 * goes to the storage that has it; revisions of different storages are never compared.
 */
import type { AnnouncedKey, Announcement } from './announcement.ts';
import { createUnderForeignCondition } from './write/foreign-condition.ts';
import type { EncryptionRule } from './encryption/rules.ts';
import type { StorageHealth } from './health.ts';
import type { LoadProgress } from './state-load.ts';
import type { EtcdStorage, StorageStats } from './storage.ts';
import {
  StorageError,
  type Claims,
  type CollectionId,
  type CollectionSnapshot,
  type Condition,
  type Entry,
  type Freshness,
  type Lifetime,
  type ObjectKey,
  type Revision,
  type StorageWrites,
  type WatchHandle,
  type WatchOptions,
  type WatchSubscriber,
  type WriteReceipt,
} from './types.ts';

/** A storage of some collections. */
export interface StorageOverride {
  readonly collections: readonly CollectionId[];
  readonly storage: EtcdStorage;
}

/**
 * The collections of the overrides are there, all others in `primary`; closing it closes all. It is ready, loading and
 * healthy as `primary` is: the caller asks the others for themselves.
 */
export function divideStorage(primary: EtcdStorage, overrides: readonly StorageOverride[]): EtcdStorage {
  return overrides.length === 0 ? primary : new DividedStorage(primary, overrides);
}

class DividedStorage implements EtcdStorage {
  readonly #primary: EtcdStorage;
  readonly #overrides: readonly EtcdStorage[];
  readonly #byCollection: ReadonlyMap<CollectionId, EtcdStorage>;
  /** Overrides whose state was loaded once. */
  readonly #loaded = new Set<EtcdStorage>();

  constructor(primary: EtcdStorage, overrides: readonly StorageOverride[]) {
    this.#primary = primary;
    this.#overrides = overrides.map(({ storage }) => storage);
    this.#byCollection = new Map(
      overrides.flatMap(({ collections, storage }) => collections.map((id) => [id, storage] as const)),
    );
    for (const storage of this.#overrides)
      storage.ready().then(
        () => this.#loaded.add(storage),
        () => undefined,
      );
  }

  snapshot(collection: CollectionId, freshness: Freshness, lifetime: Lifetime): Promise<CollectionSnapshot> {
    return this.#of(collection).snapshot(collection, freshness, lifetime);
  }

  get(
    collection: CollectionId,
    key: ObjectKey,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<Entry | undefined> {
    return this.#of(collection).get(collection, key, freshness, lifetime);
  }

  peek(collection: CollectionId, key: ObjectKey): Entry | undefined {
    return this.#loadedOf(collection).peek(collection, key);
  }

  view(collection: CollectionId): CollectionSnapshot {
    return this.#loadedOf(collection).view(collection);
  }

  revision(collection?: CollectionId): Revision {
    return (collection === undefined ? this.#primary : this.#of(collection)).revision(collection);
  }

  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt> {
    const target = this.#of(collection);
    const other = condition && this.#of(condition.collection);
    if (!condition || !other || other === target) return target.create(collection, key, bytes, condition);
    return createUnderForeignCondition({ target, other, condition }, { collection, key, bytes });
  }

  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt> {
    return this.#of(collection).update(collection, key, bytes, expected);
  }

  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#of(collection).delete(collection, key, expected);
  }

  /** Objects that hold keys are in the primary storage, as the keys are; options refuse to place them elsewhere. */
  claiming(claims: Claims): StorageWrites {
    return this.#primary.claiming(claims);
  }

  watch(options: WatchOptions, subscriber: WatchSubscriber): WatchHandle {
    return this.#of(options.collection).watch(options, subscriber);
  }

  health(): Promise<StorageHealth> {
    return this.#primary.health();
  }

  ready(): Promise<void> {
    return this.#primary.ready();
  }

  loading(): LoadProgress | undefined {
    return this.#primary.loading();
  }

  stats(): StorageStats {
    return this.#primary.stats();
  }

  /** What a cluster still has of collections that are elsewhere now is not counted. */
  *objectCounts(): Iterable<readonly [CollectionId, number]> {
    for (const storage of [this.#primary, ...this.#overrides])
      for (const [collection, size] of storage.objectCounts())
        if (this.#of(collection) === storage) yield [collection, size];
  }

  encryptBy(rules: readonly EncryptionRule[] | undefined): void {
    for (const storage of [this.#primary, ...this.#overrides]) storage.encryptBy(rules);
  }

  encryptionProblem(): string {
    const problems = [this.#primary, ...this.#overrides].map((storage) => storage.encryptionProblem());
    return [...new Set(problems)].filter(Boolean).join('; ');
  }

  announce(announced: AnnouncedKey): Announcement {
    return this.#primary.announce(announced);
  }

  async close(): Promise<void> {
    await Promise.all([this.#primary, ...this.#overrides].map((storage) => storage.close()));
  }

  #of(collection: CollectionId): EtcdStorage {
    return this.#byCollection.get(collection) ?? this.#primary;
  }

  /**
   * Nothing is served before the primary storage is loaded, but it is before an override is: policy must not take its
   * objects for absent.
   * @throws StorageError `unavailable`
   */
  #loadedOf(collection: CollectionId): EtcdStorage {
    const storage = this.#of(collection);
    if (storage !== this.#primary && !this.#loaded.has(storage))
      throw new StorageError('unavailable', `the etcd cluster of ${collection} is not loaded yet`);
    return storage;
  }
}
