/** Types of certificates/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Certificate signing request. */
export interface CertificateSigningRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: CertificateSigningRequestSpec | undefined;
  /** Status. */
  status?: CertificateSigningRequestStatus | undefined;
}

/** Certificate signing request condition. */
export interface CertificateSigningRequestCondition {
  /** Type. */
  type?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Last update time. */
  lastUpdateTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Status. */
  status?: string | undefined;
}

/** Certificate signing request list. */
export interface CertificateSigningRequestList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CertificateSigningRequest[] | null | undefined;
}

/** Certificate signing request spec. */
export interface CertificateSigningRequestSpec {
  /** Request. */
  request?: string | undefined;
  /** Username. */
  username?: string | undefined;
  /** Uid. */
  uid?: string | undefined;
  /** Groups. */
  groups?: string[] | undefined;
  /** Usages. */
  usages?: string[] | undefined;
  /** Extra. */
  extra?: Record<string, string[]> | undefined;
  /** Signer name. */
  signerName?: string | undefined;
}

/** Certificate signing request status. */
export interface CertificateSigningRequestStatus {
  /** Conditions. */
  conditions?: CertificateSigningRequestCondition[] | undefined;
  /** Certificate. */
  certificate?: string | undefined;
}
