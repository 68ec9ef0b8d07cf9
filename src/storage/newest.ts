/** How a storage learns which revision of etcd is the newest, and when its view has it. */
import type { Revision } from './types.ts';

/** An answer. */
export interface Told {
  readonly revision: Revision;
  /** Number of the past of etcd that has the revision, as the one that asks etcd counts them. */
  readonly epoch: number;
}

export interface Newest<Answer extends Told = Told> {
  /** Fence keys that were written because the view lagged. */
  readonly fences: number;
  /** A revision that is not older than this call. @throws StorageError `unavailable` */
  ask(): Promise<Answer>;
  /** Resolves when the view has it; a later past of etcd will do. @throws StorageError as consistent reads */
  reach(told: Answer): Promise<void>;
}
