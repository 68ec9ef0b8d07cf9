/** Counters of the storage, for metrics and tests. */
import type { FollowerState } from './following.ts';
import type { Revision } from './types.ts';

export interface StorageStats {
  readonly state: FollowerState;
  readonly revision: Revision;
  readonly objects: number;
  /** Objects that cannot be read, beside those. */
  readonly unreadable: number;
  /** Quorum probes of consistent reads, and fence keys written because the view lagged. */
  readonly probes: number;
  readonly fences: number;
  /** Loads of the whole state, and watch streams that were established. */
  readonly loads: number;
  readonly connects: number;
  readonly watches: number;
  /** Watches that began with a replay from the etcd history, and states read from it. */
  readonly replays: number;
  /** Revisions that live watches do not all have yet. */
  readonly undelivered: number;
  readonly historyReads: number;
  readonly ringEvents: number;
  readonly ringBytes: number;
  readonly pastStates: number;
  /** Writes whose response was lost. */
  readonly ambiguousWrites: number;
  readonly compactions: number;
  /** Finished comparisons of the view with etcd, and collections that differed. */
  readonly checks: number;
  readonly inconsistencies: number;
}
