/** The etcd below a control plane, as what hosts it sees it: in memory, or a real one. */
import type { Environment } from '../../base/environment.ts';
import type { KeptKey, KeyDifference, OtherKeys } from '../../memory-etcd/memory-etcd.ts';
import type { EtcdEndpoints } from '../../options/credentials.ts';
import type { ConnectLine } from '../../storage/etcd/etcd-line.ts';
import type { ReplicaParts } from '../../server/replica.ts';

/** Keys at a revision; it never changes. Only the engine that made it reads it. */
export type EtcdState = object;

/** Which keys something is about. */
export type IncludesKey = (key: string) => boolean;

/** A state as the replica knows it, which has seen all that is now. */
export interface WholeState {
  readonly known: NonNullable<ReplicaParts['knownState']>;
  /** The keys that are not brought back. */
  readonly others: OtherKeys;
}

export interface PlaneEtcd {
  readonly access: EtcdEndpoints;
  /** Below which the keys of this control plane are; undefined for the default. */
  readonly prefix: string | undefined;
  readonly connectLine: ConnectLine;
  /** A fork has the same keys at the same revisions, with the history. */
  readonly forksHaveItsRevisions: boolean;
  /** Grows with what is done in this process; 0 for an etcd outside of it. */
  readonly activity: number;
  snapshot(): Promise<EtcdState>;
  /** The keys of a state, in their order, as they would be in this etcd. */
  keysOf(state: EtcdState): Promise<readonly KeptKey[]>;
  /** The keys that differ from what they were. */
  differencesFrom(state: EtcdState, includes: IncludesKey): Promise<Iterable<KeyDifference>>;
  /**
   * Brings keys back.
   * @param whole how to bring back all at once; absent: one by one
   * @returns how many changed
   */
  rewind(state: EtcdState, includes: IncludesKey, whole?: WholeState): Promise<number>;
  /** Replaces keys by those given. @returns how many changed */
  replace(keys: readonly KeptKey[], includes: IncludesKey): Promise<number>;
  /**
   * An etcd for another control plane, which goes on from a state, or from the present one, without the lease of the
   * controllers of this one: its own are to work at once.
   * @param prefix of the keys of this one
   */
  fork(state: EtcdState | undefined, environment: Environment, prefix: string): Promise<PlaneEtcd>;
  close(): Promise<void>;
}
