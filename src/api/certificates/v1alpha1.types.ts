/** Types of certificates/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Certificates that a cluster trusts. */
export interface ClusterTrustBundle {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ClusterTrustBundleSpec | undefined;
}

/** A list. */
export interface ClusterTrustBundleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ClusterTrustBundle[] | null | undefined;
}

/** The certificates, and who answers for them. */
export interface ClusterTrustBundleSpec {
  /** The signer that the certificates belong to; empty: none. */
  signerName?: string | undefined;
  /** Certificates in PEM form. */
  trustBundle?: string | undefined;
}
