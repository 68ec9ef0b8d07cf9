/** Types of imagepolicy/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

/** Image review. */
export interface ImageReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ImageReviewSpec | undefined;
  /** Status. */
  status?: ImageReviewStatus | undefined;
}

/** Image review container spec. */
export interface ImageReviewContainerSpec {
  /** Image. */
  image?: string | undefined;
}

/** Image review spec. */
export interface ImageReviewSpec {
  /** Containers. */
  containers?: ImageReviewContainerSpec[] | undefined;
  /** Annotations. */
  annotations?: Record<string, string> | undefined;
  /** Namespace. */
  namespace?: string | undefined;
}

/** Image review status. */
export interface ImageReviewStatus {
  /** Allowed. */
  allowed?: boolean | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Audit annotations. */
  auditAnnotations?: Record<string, string> | undefined;
}
