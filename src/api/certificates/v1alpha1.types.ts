/** Types of certificates/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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

/** Asks for a certificate of a pod. */
export interface PodCertificateRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodCertificateRequestSpec | undefined;
  /** What is observed. */
  status?: PodCertificateRequestStatus | undefined;
}

/** A list. */
export interface PodCertificateRequestList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodCertificateRequest[] | null | undefined;
}

/** Which certificate is asked for, by which pod. */
export interface PodCertificateRequestSpec {
  /** Who signs, such as example.com/signer. */
  signerName?: string | undefined;
  /** Name of the pod. */
  podName?: string | undefined;
  /** UID of the pod. */
  podUID?: string | undefined;
  /** Service account of the pod. */
  serviceAccountName?: string | undefined;
  /** UID of the service account. */
  serviceAccountUID?: string | undefined;
  /** Node of the pod. */
  nodeName?: string | undefined;
  /** UID of the node. */
  nodeUID?: string | undefined;
  /** Longest life of the certificate in seconds. */
  maxExpirationSeconds?: number | undefined;
  /** Public key in PKIX form. */
  pkixPublicKey?: string | undefined;
  /** Signature that shows that the sender has the private key. */
  proofOfPossession?: string | undefined;
}

/** The certificate, or why there is none. */
export interface PodCertificateRequestStatus {
  /** Issued, Denied or Failed. */
  conditions?: Condition[] | undefined;
  /** The certificate and those behind it, in PEM form. */
  certificateChain?: string | undefined;
  /** When the certificate begins to be valid. */
  notBefore?: string | null | undefined;
  /** When to ask for the next one. */
  beginRefreshAt?: string | null | undefined;
  /** When the certificate ends. */
  notAfter?: string | null | undefined;
}
