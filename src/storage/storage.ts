/** Builds the storage: client, view, follower, reads, writes, watches, compaction. */
import { isDeepStrictEqual } from 'node:util';
import type { MessagePort } from 'node:worker_threads';
import { systemClock, type Clock, type Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import { systemRandom } from '../base/random.ts';
import {
  announce,
  type AnnouncedKey,
  type Announcement,
  type AnnouncementDependencies,
} from './announcement.ts';
import { changeListener } from './change-listener.ts';
import { Compactor } from './compactor.ts';
import { ConsistencyCheck } from './consistency/consistency-check.ts';
import type { BackgroundLoop } from './background-loop.ts';
import { EtcdClient } from './etcd/client.ts';
import type { EncryptionRule } from './encryption/rules.ts';
import { Transformer } from './encryption/transformer.ts';
import { Fences } from './fences.ts';
import { FedEntries } from './feed/fed-entries.ts';
import { Feeds } from './feed/feeds.ts';
import { followingOf } from './following-of.ts';
import type { FollowerListener, Following } from './following.ts';
import { ConsistentReads } from './consistent-reads.ts';
import { HealthProbe, type StorageHealth } from './health.ts';
import { KeySpace } from './keys.ts';
import { membersOf } from './member-poll.ts';
import {
  defaultCompactionIntervalMs,
  defaultLimits,
  defaultTimes,
  type EncryptionOptions,
  type EtcdTls,
  type StorageOptions,
} from './options.ts';
import { Reads } from './reads.ts';
import type { LoadProgress } from './state-load.ts';
import type { StorageStats } from './storage-stats.ts';
import {
  type Claims,
  type CollectionId,
  type CollectionSnapshot,
  type Condition,
  type Entry,
  type Freshness,
  type Lifetime,
  type ObjectKey,
  type Revision,
  type Storage,
  type StorageWrites,
  type WatchHandle,
  type WatchOptions,
  type WatchSubscriber,
  type WriteReceipt,
} from './types.ts';
import { EntryReader } from './view/entry-reader.ts';
import { knownStateOf, type KnownState } from './view/known-state.ts';
import { RestingTexts } from './view/resting-texts.ts';
import { trimPastStates } from './view/trim-past-states.ts';
import { View } from './view/view.ts';
import { WatchHub } from './watch/hub.ts';
import { RecentEvents } from './watch/recent-events.ts';
import { leasesOf } from './write/leases.ts';
import { Transactions } from './write/transactions.ts';

const none = (): undefined => undefined;
const noEncryption: EncryptionOptions = { word: '', rules: undefined };

/** Storage in etcd, with its lifecycle. */
export interface EtcdStorage extends Storage {
  /**
   * Resolves when the state is loaded and followed for the first time.
   * @throws if it is closed before
   */
  ready(): Promise<void>;
  /** Progress of the load; undefined if none is in progress. */
  loading(): LoadProgress | undefined;
  /** What etcd said when it denied the last attempt to load or follow for its user; '' otherwise. */
  denial(): string;
  /** Milliseconds since the view followed etcd; 0 while it does. */
  awayMs(): number;
  stats(): StorageStats;
  /** Revisions that live watches do not all have yet. */
  undelivered(): number;
  /** Number of objects of each collection, as this process knows them. */
  objectCounts(): Iterable<readonly [CollectionId, number]>;
  /**
   * Other rules of encryption from now on: for what is written, and for what is read. If there are values that could
   * not be decrypted, everything is loaded again.
   */
  encryptBy(rules: readonly EncryptionRule[] | undefined): void;
  /** What is the matter with KMS plugins; '' if nothing is. */
  encryptionProblem(): string;
  /** Keeps a key in etcd while this process lives; the caller closes it before the storage. */
  announce(announced: AnnouncedKey): Announcement;
  /** Ends watches with `stopped`, stops following and closes all connections. */
  close(): Promise<void>;
}

/** The storage of one etcd cluster. */
export interface ClusterStorage extends EtcdStorage {
  /** Other credentials for connections to come; those that are up stay, as renewed ones may yet be refused. */
  connectBy(tls: EtcdTls | undefined): void;
  /**
   * Its present state, for the storage of a copy of etcd that is made after this call. Undefined while the state is not
   * loaded, and where values are encrypted: what was read of them is of the keys of this storage.
   */
  knownState(): KnownState | undefined;
  /** Feeds the storage in another thread that has the other end of this channel, until it is closed. */
  feed(port: MessagePort): void;
}

/**
 * Starts a storage. An unreachable etcd shows in `health()` and delays `ready()`.
 * @param knownState of the storage of an etcd that this one is a copy of, with the same options: it is not loaded, only
 *   what has changed since. Without effect if etcd has another past by its name
 */
export function createEtcdStorage(options: StorageOptions, knownState?: KnownState): Promise<ClusterStorage> {
  const { clock = systemClock, random = systemRandom } = options;
  return Promise.resolve(new FollowedStorage(options, { clock, random }, knownState));
}

class FollowedStorage implements ClusterStorage {
  readonly #client: EtcdClient;
  readonly #transformer: Transformer;
  #rules: readonly EncryptionRule[] | undefined;
  /** Keys came while the state was loaded. */
  #whyReadAgain: string | undefined;
  readonly #view: View;
  readonly #recent: RecentEvents;
  readonly #follower: Following;
  /** Storages of other threads. */
  readonly #feeds: Feeds;
  readonly #freshness: ConsistentReads;
  readonly #reads: Reads;
  readonly #transactions: Transactions;
  readonly #hub: WatchHub;
  readonly #announcements: AnnouncementDependencies;
  readonly #compactor: Compactor;
  readonly #check: ConsistencyCheck;
  /** What goes on at intervals of its own. */
  readonly #loops: readonly Pick<BackgroundLoop, 'start' | 'stop'>[];
  readonly #health: HealthProbe;
  readonly #stopping = new AbortController();
  readonly #clock: Clock;
  readonly #tick: Timer;

  constructor(options: StorageOptions, environment: Environment, knownState: KnownState | undefined) {
    const { logger } = options;
    const { clock, random } = environment;
    const times = { ...defaultTimes, ...options.times };
    const limits = { ...defaultLimits, ...options.limits };
    const keys = new KeySpace(options.prefix ?? '/registry');
    const onOtherPast = (why: string): void => this.#follower.loadAgain(why);
    const client = new EtcdClient({ options, times, ...environment, onOtherPast });
    const { recode = none, encryption = noEncryption, metrics, feed, itemHead = none } = options;
    const transformer = new Transformer(
      {
        ...{ clock, word: encryption.word, kmsTimes: encryption.kmsTimes, metrics },
        onRecovered: () => this.#readAgain('a KMS plugin answers again'),
      },
      encryption.rules,
    );
    const stopping = this.#stopping.signal;
    const resting = new RestingTexts(clock, stopping);
    const entries = new EntryReader({ keys, recode, transformer, logger, metrics, resting });
    const fed = feed && { port: feed, fedEntries: new FedEntries(transformer) };
    const view = new View({ keys, entries: fed?.fedEntries ?? entries, clock, limits, itemHead });
    const recent = new RecentEvents(limits);
    const listener = this.#listener(recent);
    const fences = new Fences({ client, keys, times, ...environment });
    const { follower, newest } = followingOf(fed, {
      ...{ client, keys, view, fences, listener, times, limits, logger, knownState, ...environment },
    });
    const freshness = new ConsistentReads({ newest, view, follower, times, clock, metrics });
    const reads = new Reads({ client, keys, entries, view, freshness, clock, stopping });
    const replay = { client, keys, fences, entries, times, clock, random };
    this.#client = client;
    this.#transformer = transformer;
    this.#rules = encryption.rules;
    this.#announcements = { client, keys, clock, logger };
    this.#view = view;
    this.#recent = recent;
    this.#follower = follower;
    this.#feeds = new Feeds({ client, keys, view, follower, freshness, logger, itemHead });
    this.#freshness = freshness;
    this.#reads = reads;
    this.#transactions = new Transactions({
      ...{ client, keys, entries, transformer, view, recent, freshness },
      ...{ times, clock, random, logger },
      leasesOf: leasesOf(options, { client, clock }),
    });
    this.#hub = new WatchHub({ view, reads, freshness, recent, replay, limits, clock, logger });
    const intervalMs = options.compactionIntervalMs ?? defaultCompactionIntervalMs;
    this.#compactor = new Compactor({ client, keys, clock, intervalMs, logger, metrics });
    const checked = { client, keys, view, follower, freshness, ...environment, logger, metrics };
    this.#check = new ConsistencyCheck(checked, options.consistencyCheckIntervalMs);
    const members = membersOf(options, { client, clock });
    this.#health = new HealthProbe({ client, keys, follower, freshness, clock });
    this.#clock = clock;
    this.#tick = clock.setInterval(() => this.#age(clock.monotonic()), times.tick);
    this.#tick.unref();
    follower.start();
    // The thread that follows etcd does these for all.
    this.#loops = feed === undefined ? [this.#compactor, members, this.#check, fences] : [];
    for (const loop of this.#loops) loop.start();
  }

  snapshot(collection: CollectionId, freshness: Freshness, lifetime: Lifetime): Promise<CollectionSnapshot> {
    return this.#reads.snapshot(collection, freshness, lifetime);
  }

  get(
    collection: CollectionId,
    key: ObjectKey,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<Entry | undefined> {
    return this.#reads.get(collection, key, { freshness, lifetime });
  }

  peek(collection: CollectionId, key: ObjectKey): Entry | undefined {
    return this.#view.collection(collection).get(key);
  }

  view(collection: CollectionId): CollectionSnapshot {
    return this.#view.collection(collection).snapshot(this.#view.revision);
  }

  revision(): Revision {
    return this.#view.revision;
  }

  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt> {
    return this.#transactions.create(collection, key, bytes, condition);
  }

  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt> {
    return this.#transactions.update(collection, key, bytes, expected);
  }

  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#transactions.delete(collection, key, expected);
  }

  claiming(claims: Claims): StorageWrites {
    return this.#transactions.claiming(claims);
  }

  watch(options: WatchOptions, subscriber: WatchSubscriber): WatchHandle {
    return this.#hub.watch(options, subscriber);
  }

  health(): Promise<StorageHealth> {
    return this.#health.check();
  }

  encryptBy(rules: readonly EncryptionRule[] | undefined): void {
    if (isDeepStrictEqual(rules, this.#rules)) return;
    this.#rules = rules;
    this.#transformer.use(rules);
    this.#readAgain('the encryption configuration has changed');
  }

  connectBy(tls: EtcdTls | undefined): void {
    this.#client.useTls(tls);
  }

  knownState(): KnownState | undefined {
    return this.#rules === undefined ? knownStateOf(this.#view) : undefined;
  }

  feed(port: MessagePort): void {
    this.#feeds.add(port);
  }

  encryptionProblem(): string {
    return this.#transformer.problem;
  }

  /** Perhaps values that could not be decrypted now can be. */
  #readAgain(why: string): void {
    if (this.#follower.state === 'loading') this.#whyReadAgain = why;
    else if (this.#view.unreadable > 0) this.#follower.decryptAgain(why);
  }

  /** What a load read before the keys were there. */
  #readAgainWhatWasLoaded(): void {
    const why = this.#whyReadAgain;
    this.#whyReadAgain = undefined;
    if (why !== undefined && this.#view.unreadable > 0) this.#follower.decryptAgain(why);
  }

  async ready(): Promise<void> {
    await this.#follower.inStep();
  }

  loading(): LoadProgress | undefined {
    return this.#follower.loading;
  }

  denial(): string {
    return this.#follower.denial;
  }

  awayMs(): number {
    return this.#follower.awayMs;
  }

  announce(announced: AnnouncedKey): Announcement {
    return announce(this.#announcements, announced);
  }

  undelivered(): number {
    return this.#hub.counters.undelivered;
  }

  stats(): StorageStats {
    const { events, bytes } = this.#recent.totals;
    const collections = [...this.#view.collections()];
    return {
      state: this.#follower.state,
      revision: this.#view.revision,
      objects: collections.reduce((sum, collection) => sum + collection.size, 0),
      unreadable: this.#view.unreadable,
      pastStates: collections.reduce((sum, collection) => sum + collection.pastStates.size, 0),
      ...this.#freshness.counters,
      ...this.#follower.counters,
      ...this.#hub.counters,
      historyReads: this.#reads.historyReads,
      ringEvents: events,
      ringBytes: bytes,
      ambiguousWrites: this.#transactions.ambiguous,
      compactions: this.#compactor.compactions,
      ...this.#check.counters,
    };
  }

  /** Number of objects of each collection, as this process knows them. */
  *objectCounts(): Iterable<readonly [CollectionId, number]> {
    for (const { id, size } of this.#view.collections()) yield [id, size];
  }

  async close(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#clock.clear(this.#tick);
    this.#hub.close();
    this.#feeds.close();
    // Stopped before their calls are aborted.
    const stopped = Promise.all([
      this.#follower.stop(),
      ...this.#loops.map((loop) => loop.stop()),
      this.#transformer.close(),
    ]);
    this.#client.close();
    await stopped;
    this.#view.waiters.close();
    this.#view.pastWaiters.close();
  }

  #listener(recent: RecentEvents): FollowerListener {
    return changeListener({
      recent,
      hub: () => this.#hub,
      feeds: () => this.#feeds,
      check: () => this.#check,
      onLoaded: () => this.#readAgainWhatWasLoaded(),
    });
  }

  #age(now: number): void {
    this.#recent.age(now, this.#view.revision);
    const { compactedAt } = this.#view;
    trimPastStates(this.#view.collections(), { now, compactedAt });
    if (this.#view.sweep()) this.#recent.sweep(compactedAt);
    this.#hub.tick();
    this.#feeds.tick();
  }
}
