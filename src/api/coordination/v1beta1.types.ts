/** Types of coordination/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Lease. */
export interface Lease {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: LeaseSpec | undefined;
}

/** Lease list. */
export interface LeaseList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Lease[] | null | undefined;
}

/** Lease spec. */
export interface LeaseSpec {
  /** Holder identity. */
  holderIdentity?: string | undefined;
  /** Lease duration seconds. */
  leaseDurationSeconds?: number | undefined;
  /** Acquire time. */
  acquireTime?: string | null | undefined;
  /** Renew time. */
  renewTime?: string | null | undefined;
  /** Lease transitions. */
  leaseTransitions?: number | undefined;
}
