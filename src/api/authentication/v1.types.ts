/** Types of authentication/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

/** The object that a token is bound to. */
export interface BoundObjectReference {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Group and version of the object meant. */
  apiVersion?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
}

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
  userInfo?: UserInfo | undefined;
}

/** A token that is asked for, or needed by a driver. */
export interface TokenRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: TokenRequestSpec | undefined;
  /** What was last observed; written by the system. */
  status?: TokenRequestStatus | undefined;
}

/** The token wanted. */
export interface TokenRequestSpec {
  /** Whom the token is meant for. */
  audiences?: string[] | null | undefined;
  /** The token dies with this object. */
  boundObjectRef?: BoundObjectReference | null | undefined;
  /** How long the token is wanted to be valid. */
  expirationSeconds?: number | null | undefined;
}

/** The token made. */
export interface TokenRequestStatus {
  /** The bearer token. */
  token?: string | undefined;
  /** When it stops being valid. */
  expirationTimestamp?: string | null | undefined;
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
