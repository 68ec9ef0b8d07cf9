/** Types of authentication/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';
import type { UserInfo as ForeignUserInfo } from './v1.types.ts';

/** Asks which user the request is from. */
export interface SelfSubjectReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is observed. */
  status?: SelfSubjectReviewStatus | undefined;
}

/** Answer of a review of oneself. */
export interface SelfSubjectReviewStatus {
  /** The user of the request. */
  userInfo?: ForeignUserInfo | undefined;
}

/** Asks whether a token is valid. */
export interface TokenReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: TokenReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: TokenReviewStatus | undefined;
}

/** The question. */
export interface TokenReviewSpec {
  /** The bearer token. */
  token?: string | undefined;
  /** Whom the token is meant for. */
  audiences?: string[] | undefined;
}

/** The answer. */
export interface TokenReviewStatus {
  /** Whether the token is valid. */
  authenticated?: boolean | undefined;
  /** Name of a user. */
  user?: UserInfo | undefined;
  /** What went wrong. */
  error?: string | undefined;
  /** Whom the token is meant for. */
  audiences?: string[] | undefined;
}

/** Who somebody is. */
export interface UserInfo {
  /** Name of the user. */
  username?: string | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Groups that the user is in. */
  groups?: string[] | undefined;
  /** More about the user, from whoever authenticated it. */
  extra?: Record<string, string[]> | undefined;
}
