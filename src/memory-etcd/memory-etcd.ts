/**
 * An etcd in memory, for tests and simulations: one member that answers as a real one does. It starts in no time, its
 * state can be kept and copied at no cost, and nothing but its clock, its random numbers and its callers drive it.
 */
import type { ConnectLine } from '../storage/etcd/etcd-line.ts';
import { Leases } from './leases.ts';
import { Member, type MemberState } from './member.ts';
import { MemoryLine } from './memory-line.ts';
import { drawId, withDefaults, type MemoryEtcdOptions } from './options.ts';
import type { KeyRange } from './key-range.ts';
import type { Int64 } from './messages.ts';
import { Pace } from './pace.ts';
import { rulesOf } from './release.ts';
import { differences, type KeptKey, type KeyDifference } from './rewind.ts';
import { Store } from './store.ts';
import type { OtherKeys } from './takeover.ts';

export type { KeptKey, KeyDifference } from './rewind.ts';
export type { OtherKeys } from './takeover.ts';

/** A state that was kept; it never changes, and can be used any number of times. */
export interface EtcdSnapshot {
  readonly revision: number;
  /** What the lifetimes of leases are counted from. */
  readonly takenAt: number;
  readonly state: MemberState;
}

/** A change of a key; value undefined if it was removed. Its bytes are read-only. */
export interface KeyChange {
  readonly revision: number;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

export class MemoryEtcd {
  readonly #options: Required<MemoryEtcdOptions>;
  readonly #member: Member;
  readonly #pace = new Pace();
  readonly #lines = new Set<MemoryLine>();
  /** Those of this past: what has changed since they were taken is in the log. */
  #ancestors = new WeakSet<EtcdSnapshot>();
  #clusterId: Int64;

  /** Starts with an empty database, or with that of a snapshot. */
  constructor(options: MemoryEtcdOptions, snapshot?: EtcdSnapshot) {
    this.#options = withDefaults(options);
    this.#clusterId = this.#options.clusterId;
    this.#member = new Member(this.#options, () => this.#clusterId, this.#stateOf(snapshot));
  }

  /** Connects to it, whatever the address. It fits `StorageOptions.connectLine`. */
  readonly connectLine: ConnectLine = () => {
    const line: MemoryLine = new MemoryLine(this.#member, this.#pace, () => this.#lines.delete(line));
    this.#lines.add(line);
    return Promise.resolve(line);
  };

  get revision(): number {
    return this.#member.state.store.revision;
  }

  /** Grows with every call that was answered and with every revision. */
  get activity(): number {
    return this.#pace.total + this.revision;
  }

  /** History before this revision cannot be read; -1 if there was no compaction. */
  get compactRevision(): number {
    return this.#member.state.store.compactRevision;
  }

  get clusterId(): Int64 {
    return this.#clusterId;
  }

  /** The changes after a revision that no compaction has taken, in the order of the commits. */
  *changesAfter(revision: number): Generator<KeyChange, void> {
    for (const { type, kv } of this.#member.state.store.changesFrom(revision + 1))
      yield { revision: kv.mod_revision, key: kv.key, value: type === 0 ? kv.value : undefined };
  }

  /** Keeps the state as it is now; later writes do not change it. It takes no time that depends on the keys. */
  snapshot(): EtcdSnapshot {
    const { store, leases } = this.#member.state;
    const takenAt = this.#options.clock.monotonic();
    const state = { store: store.copy(), leases: leases.copy(({ expiresAt }) => expiresAt) };
    const snapshot = { revision: store.revision, takenAt, state };
    this.#ancestors.add(snapshot);
    return snapshot;
  }

  /**
   * Brings keys back to what they were in a snapshot, in one revision: nothing ends, versions go on, and watches are told
   * what changes. With a snapshot of this etcd it takes time for the changes since.
   * @param includes tells which keys it is about
   * @param equalAt a revision at which these keys were as in the snapshot, such as that of the last rewind to it: only
   *   what has changed since is looked at
   * @returns how many keys changed
   */
  rewind(
    snapshot: EtcdSnapshot,
    includes: (key: string) => boolean = () => true,
    equalAt = this.#revisionOf(snapshot),
  ): number {
    return this.#member.rewind(snapshot.state.store, { equalAt, includes });
  }

  /** About how many changes there were since a revision: what a rewind takes time for. */
  changesSince(revision: number): number {
    return this.#member.state.store.sizeFrom(revision + 1);
  }

  /**
   * Brings keys back as `rewind` does, in time for the keys that there were, however many have been added since. History
   * begins with it, as after a compaction: watches that are open end, but for those of this process that can take `state`.
   * @param snapshot of this etcd
   * @param others the keys that it is not about
   * @returns how many keys changed
   */
  takeOver(snapshot: EtcdSnapshot, others: OtherKeys, state: object): number {
    return this.#member.takeOver(snapshot.state, others, state);
  }

  /** Of a snapshot of this past; undefined for others, with which all keys have to be compared. */
  #revisionOf(snapshot: EtcdSnapshot): number | undefined {
    return this.#ancestors.has(snapshot) ? snapshot.revision : undefined;
  }

  /** The keys of a snapshot, in their order; leases have the same time left as when it was taken. */
  keysOf({ state: { store, leases }, takenAt }: EtcdSnapshot): KeptKey[] {
    const kept: KeptKey[] = [];
    store.each({ start: '', end: null }, store.revision, ({ key, value, lease }) => {
      const ends = leases.get(lease)?.expiresAt;
      kept.push({ key, value, ...(ends !== undefined && { leftMs: Math.max(0, ends - takenAt) }) });
    });
    return kept;
  }

  /** The keys that differ from what they were in a snapshot; not in order. */
  differencesFrom(
    snapshot: EtcdSnapshot,
    includes: (key: string) => boolean = () => true,
  ): Iterable<KeyDifference> {
    const { store: now } = this.#member.state;
    return differences({ now, then: snapshot.state.store, equalAt: this.#revisionOf(snapshot), includes });
  }

  /**
   * Replaces keys by those given, in one revision, as `rewind` does. Those with time left get leases of their own.
   * @param includes whether it is about a key; what is there of them and not given is removed
   * @returns how many keys changed
   */
  replace(keys: Iterable<KeptKey>, includes: (key: string) => boolean = () => true): number {
    return this.#member.replaceKeys(keys, includes);
  }

  /** Removes those of the keys of a range, in one revision. It takes time for the keys of the range. */
  remove(range: KeyRange, includes: (key: string) => boolean): void {
    this.#member.removeKeys(range, includes);
  }

  /**
   * Another etcd that goes on from the same state, with the same cluster id unless another is given; leases have the
   * same time left.
   */
  fork(options: Partial<MemoryEtcdOptions> = {}): MemoryEtcd {
    return new MemoryEtcd({ ...this.#options, clusterId: this.#clusterId, ...options }, this.snapshot());
  }

  /**
   * Replaces the database by that of a snapshot, of this etcd or of another, as an operator does who restores a backup:
   * all connections end, and the cluster has another id.
   * @param clusterId absent: a random one
   */
  restore(snapshot: EtcdSnapshot, clusterId: Int64 = drawId(this.#options.random)): void {
    this.disconnect();
    this.#clusterId = clusterId;
    this.#ancestors = new WeakSet();
    this.#member.replace(this.#stateOf(snapshot));
  }

  /** Ends all connections, as a member that is stopped does. New ones are taken at once. */
  disconnect(): void {
    for (const line of this.#lines) line.close();
  }

  /** Ends all connections and timers. */
  close(): void {
    this.disconnect();
    this.#member.stop();
  }

  #stateOf(snapshot: EtcdSnapshot | undefined): MemberState {
    const { clock, emulates } = this.#options;
    if (snapshot === undefined) {
      return { store: Store.empty(rulesOf(emulates)), leases: new Leases() };
    }
    const { store, leases } = snapshot.state;
    const passed = clock.monotonic() - snapshot.takenAt;
    return { store: store.copy(), leases: leases.copy(({ expiresAt }) => expiresAt + passed) };
  }
}
