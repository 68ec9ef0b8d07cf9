/** Types of authentication/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';
import type { UserInfo } from './v1.types.ts';

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
