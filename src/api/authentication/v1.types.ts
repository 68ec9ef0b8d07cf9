/** Types of authentication/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

/** Bound object reference. */
export interface BoundObjectReference {
  /** Kind. */
  kind?: string | undefined;
  /** Api version. */
  apiVersion?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Uid. */
  uid?: string | undefined;
}

/** Token request. */
export interface TokenRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: TokenRequestSpec | undefined;
  /** Status. */
  status?: TokenRequestStatus | undefined;
}

/** Token request spec. */
export interface TokenRequestSpec {
  /** Audiences. */
  audiences?: string[] | null | undefined;
  /** Bound object ref. */
  boundObjectRef?: BoundObjectReference | null | undefined;
  /** Expiration seconds. */
  expirationSeconds?: number | null | undefined;
}

/** Token request status. */
export interface TokenRequestStatus {
  /** Token. */
  token?: string | undefined;
  /** Expiration timestamp. */
  expirationTimestamp?: string | null | undefined;
}

/** Token review. */
export interface TokenReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: TokenReviewSpec | undefined;
  /** Status. */
  status?: TokenReviewStatus | undefined;
}

/** Token review spec. */
export interface TokenReviewSpec {
  /** Token. */
  token?: string | undefined;
  /** Audiences. */
  audiences?: string[] | undefined;
}

/** Token review status. */
export interface TokenReviewStatus {
  /** Authenticated. */
  authenticated?: boolean | undefined;
  /** User. */
  user?: UserInfo | undefined;
  /** Error. */
  error?: string | undefined;
  /** Audiences. */
  audiences?: string[] | undefined;
}

/** User info. */
export interface UserInfo {
  /** Username. */
  username?: string | undefined;
  /** Uid. */
  uid?: string | undefined;
  /** Groups. */
  groups?: string[] | undefined;
  /** Extra. */
  extra?: Record<string, string[]> | undefined;
}
