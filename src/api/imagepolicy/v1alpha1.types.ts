/** Types of imagepolicy/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

/** Asks whether images may be used. */
export interface ImageReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ImageReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ImageReviewStatus | undefined;
}

/** A container of the pod. */
export interface ImageReviewContainerSpec {
  /** Image to run or use. */
  image?: string | undefined;
}

/** The question. */
export interface ImageReviewSpec {
  /** Containers. */
  containers?: ImageReviewContainerSpec[] | undefined;
  /** Keys and values that tools keep with the object. */
  annotations?: Record<string, string> | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
}

/** The answer. */
export interface ImageReviewStatus {
  /** True: it may go ahead. */
  allowed?: boolean | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Annotations for the audit record. */
  auditAnnotations?: Record<string, string> | undefined;
}
