/** Types of authentication/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

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
