/** Types of coordination/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
  /** How the leader may be chosen among the candidates, the best way first. */
  preferredStrategies?: string[] | undefined;
}
