/** Types of coordination/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A claim that its holder renews, for elections and heartbeats. */
export interface Lease {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Who holds the lease, and until when. */
  spec?: LeaseSpec | undefined;
}

/** A program that may become leader. */
export interface LeaseCandidate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: LeaseCandidateSpec | undefined;
}

/** A list. */
export interface LeaseCandidateList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: LeaseCandidate[] | null | undefined;
}

/** What a candidate runs, and for which lease. */
export interface LeaseCandidateSpec {
  /** Name of the lease. */
  leaseName?: string | undefined;
  /** When the candidate was last asked for a sign of life. */
  pingTime?: string | null | undefined;
  /** When the candidate last gave one. */
  renewTime?: string | null | undefined;
  /** Version of its program. */
  binaryVersion?: string | undefined;
  /** Version that its program emulates. */
  emulationVersion?: string | undefined;
  /** How the leader is chosen among the candidates. */
  strategy?: string | undefined;
}

/** A list of Lease objects. */
export interface LeaseList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Lease[] | null | undefined;
}

/** What is wanted of a Lease. */
export interface LeaseSpec {
  /** Who holds the lease. */
  holderIdentity?: string | undefined;
  /** Seconds after the last renewal at which others may take the lease. */
  leaseDurationSeconds?: number | undefined;
  /** When the holder took it. */
  acquireTime?: string | null | undefined;
  /** When the holder last renewed it. */
  renewTime?: string | null | undefined;
  /** How often the holder changed. */
  leaseTransitions?: number | undefined;
  /** How the leader is chosen among candidates. */
  strategy?: string | undefined;
  /** Who should take the lease over. */
  preferredHolder?: string | undefined;
}
