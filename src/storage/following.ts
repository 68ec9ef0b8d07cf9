/** What follows etcd, as the rest of the storage sees it: a watch stream of its own, or another thread that has one. */
import type { EtcdEvent } from './etcd/message-types.ts';
import type { LoadProgress } from './state-load.ts';
import type { CollectionId, Revision, StoredEvent } from './types.ts';
import type { ReplacedCollection, Unshown } from './view/view.ts';

export type FollowerState = 'loading' | 'connecting' | 'following' | 'waiting' | 'stopped';

/** Called synchronously by the follower, before waiters for a revision. */
export interface FollowerListener {
  /** Events of complete revisions, in order, and what they lack; the view already contains them. */
  onChanges(
    changes: readonly StoredEvent[],
    revision: Revision,
    unshown: Unshown,
    /** As etcd told them, and the revision of the view before; absent where nobody is fed with them. */
    source?: { readonly events: readonly EtcdEvent[]; readonly before: Revision },
  ): void;
  /** A collection was loaded again, as of this revision: its history is lost. */
  onAdopted(collection: CollectionId, revision: Revision): void;
  /** Collections were replaced by an earlier state of theirs. */
  onReplaced(replaced: readonly ReplacedCollection[], revision: Revision): void;
  /** Events came behind newer ones, and were skipped: the view may lack changes. */
  onLate(): void;
  /** The view was reloaded: its history is lost. */
  onLoaded(revision: Revision, isFirst: boolean): void;
}

/** It changes the view, and tells its listener. */
export interface Following {
  readonly state: FollowerState;
  /** Why it is not following; '' if it is. */
  readonly trouble: string;
  /** The answer of etcd to the last attempt, if that was denied for its user; '' otherwise. */
  readonly denial: string;
  /** Milliseconds since it followed; 0 while it does. */
  readonly awayMs: number;
  /** Progress of the load; undefined if none is in progress. */
  readonly loading: LoadProgress | undefined;
  /** States that were put in place, and streams of etcd. */
  readonly counters: { readonly loads: number; readonly connects: number };
  start(): void;
  /** Resolves when the state is loaded and followed for the first time; rejects if it stops before. */
  inStep(): Promise<undefined>;
  /** The watch stream misses events. */
  distrustStream(reason: string): void;
  /** The view is not that of etcd any more: another state takes its place. */
  loadAgain(reason: string): void;
  /** What could not be decrypted perhaps can be by now: it is loaded again. */
  decryptAgain(reason: string): void;
  stop(): Promise<void>;
}
