/** Types of certificates/v1; generated from v1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Asks for a certificate. */
export interface CertificateSigningRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: CertificateSigningRequestSpec | undefined;
  /** What was last observed; written by the system. */
  status?: CertificateSigningRequestStatus | undefined;
}

/** One observation of a CertificateSigningRequest. */
export interface CertificateSigningRequestCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** When the condition was last written. */
  lastUpdateTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
}

/** A list of CertificateSigningRequest objects. */
export interface CertificateSigningRequestList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CertificateSigningRequest[] | null | undefined;
}

/** What is wanted of a CertificateSigningRequest. */
export interface CertificateSigningRequestSpec {
  /** What was asked. */
  request?: string | undefined;
  /** Name of the user. */
  username?: string | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Groups that the user is in. */
  groups?: string[] | undefined;
  /** What the key may be used for. */
  usages?: string[] | undefined;
  /** More about the user, from whoever authenticated it. */
  extra?: Record<string, string[]> | undefined;
  /** Who shall sign. */
  signerName?: string | undefined;
  /** Wanted life of the certificate in seconds; the signer may choose another. */
  expirationSeconds?: number | undefined;
}

/** What was last observed of a CertificateSigningRequest. */
export interface CertificateSigningRequestStatus {
  /** Latest observations, one per type. */
  conditions?: CertificateSigningRequestCondition[] | undefined;
  /** The signed certificate, PEM. */
  certificate?: string | undefined;
}
