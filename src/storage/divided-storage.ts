/**
 * A storage of which some collections are in etcd clusters of their own (`--etcd-servers-overrides`). Each cluster has
 * a storage of its own: connections, view, revisions, watches, compaction, leases. Whatever concerns one collection
 * goes to the storage that has it; revisions of different storages are never compared.
 */
import type { AnnouncedKey, Announcement } from './announcement.ts';
import { createUnderForeignCondition } from './write/foreign-condition.ts';
import type { EncryptionRule } from './encryption/rules.ts';
import type { StorageHealth } from './health.ts';
import { Override, type StorageOverride } from './override.ts';
import type { LoadProgress } from './state-load.ts';
import type { EtcdStorage } from './storage.ts';
import type { StorageStats } from './storage-stats.ts';
import type {
  Claims,
  CollectionId,
  CollectionSnapshot,
  Condition,
  Entry,
  Freshness,
  Lifetime,
  ObjectKey,
  Revision,
  StorageWrites,
  WatchHandle,
  WatchOptions,
  WatchSubscriber,
  WriteReceipt,
} from './types.ts';

/**
 * The collections of the overrides are there, all others in `primary`; closing it closes all. It is ready when
 * `primary` and the overrides that are not optional are, and healthy as `primary` is: the caller asks the others
 * for themselves.
 */
export function divideStorage(primary: EtcdStorage, overrides: readonly StorageOverride[]): EtcdStorage {
  return overrides.length === 0 ? primary : new DividedStorage(primary, overrides);
}

class DividedStorage implements EtcdStorage {
  readonly #primary: EtcdStorage;
  readonly #all: readonly EtcdStorage[];
  /** Those that must be loaded before anything is served. */
  readonly #needed: readonly EtcdStorage[];
  readonly #overrides: ReadonlyMap<CollectionId, Override>;

  constructor(primary: EtcdStorage, overrides: readonly StorageOverride[]) {
    this.#primary = primary;
    this.#all = [primary, ...overrides.map(({ storage }) => storage)];
    const needed = overrides.filter(({ isOptional }) => !isOptional);
    this.#needed = [primary, ...needed.map(({ storage }) => storage)];
    this.#overrides = new Map(
      overrides.flatMap((given) => {
        const override = new Override(given);
        return given.collections.map((id) => [id, override] as const);
      }),
    );
  }

  async snapshot(
    collection: CollectionId,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<CollectionSnapshot> {
    return this.#readable(collection, freshness).snapshot(collection, freshness, lifetime);
  }

  async get(
    collection: CollectionId,
    key: ObjectKey,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<Entry | undefined> {
    return this.#readable(collection, freshness).get(collection, key, freshness, lifetime);
  }

  peek(collection: CollectionId, key: ObjectKey): Entry | undefined {
    return this.#loaded(collection).peek(collection, key);
  }

  view(collection: CollectionId): CollectionSnapshot {
    return this.#loaded(collection).view(collection);
  }

  revision(collection?: CollectionId): Revision {
    return (collection === undefined ? this.#primary : this.#of(collection)).revision(collection);
  }

  async create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt> {
    const target = this.#reachable(collection);
    const other = condition && this.#of(condition.collection);
    if (!condition || !other || other === target) return target.create(collection, key, bytes, condition);
    return createUnderForeignCondition({ target, other, condition }, { collection, key, bytes });
  }

  async update(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    expected: Revision,
  ): Promise<WriteReceipt> {
    return this.#reachable(collection).update(collection, key, bytes, expected);
  }

  async delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#reachable(collection).delete(collection, key, expected);
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

  async ready(): Promise<void> {
    await Promise.all(this.#needed.map((storage) => storage.ready()));
  }

  /** Of the first that is not loaded. */
  loading(): LoadProgress | undefined {
    for (const storage of this.#needed) {
      const progress = storage.loading();
      if (progress !== undefined) return progress;
    }
    return undefined;
  }

  /** Of the first that has one. */
  denial(): string {
    return this.#needed.map((storage) => storage.denial()).find((denial) => denial !== '') ?? '';
  }

  undelivered(): number {
    return this.#all.reduce((sum, storage) => sum + storage.undelivered(), 0);
  }

  stats(): StorageStats {
    return this.#primary.stats();
  }

  awayMs(): number {
    return this.#primary.awayMs();
  }

  /** What a cluster still has of collections that are elsewhere now is not counted. */
  *objectCounts(): Iterable<readonly [CollectionId, number]> {
    for (const storage of this.#all)
      for (const [collection, size] of storage.objectCounts())
        if (this.#of(collection) === storage) yield [collection, size];
  }

  encryptBy(rules: readonly EncryptionRule[] | undefined): void {
    for (const storage of this.#all) storage.encryptBy(rules);
  }

  encryptionProblem(): string {
    const problems = this.#all.map((storage) => storage.encryptionProblem());
    return [...new Set(problems)].filter(Boolean).join('; ');
  }

  announce(announced: AnnouncedKey): Announcement {
    return this.#primary.announce(announced);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((storage) => storage.close()));
  }

  #of(collection: CollectionId): EtcdStorage {
    return this.#overrides.get(collection)?.storage ?? this.#primary;
  }

  /** @throws StorageError `unavailable` */
  #loaded(collection: CollectionId): EtcdStorage {
    return this.#overrides.get(collection)?.loaded() ?? this.#primary;
  }

  /** @throws StorageError `unavailable` */
  #reachable(collection: CollectionId): EtcdStorage {
    return this.#overrides.get(collection)?.reachable() ?? this.#primary;
  }

  /** States in memory are read while etcd is away. @throws StorageError `unavailable` */
  #readable(collection: CollectionId, { kind }: Freshness): EtcdStorage {
    return kind === 'mostRecent' ? this.#reachable(collection) : this.#loaded(collection);
  }
}
