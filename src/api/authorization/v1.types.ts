/** Types of authorization/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';

/** Local subject access review. */
export interface LocalSubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: SubjectAccessReviewSpec | undefined;
  /** Status. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** Non resource attributes. */
export interface NonResourceAttributes {
  /** Path. */
  path?: string | undefined;
  /** Verb. */
  verb?: string | undefined;
}

/** Non resource rule. */
export interface NonResourceRule {
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Non resource UR ls. */
  nonResourceURLs?: string[] | undefined;
}

/** Resource attributes. */
export interface ResourceAttributes {
  /** Namespace. */
  namespace?: string | undefined;
  /** Verb. */
  verb?: string | undefined;
  /** Group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** Resource. */
  resource?: string | undefined;
  /** Subresource. */
  subresource?: string | undefined;
  /** Name. */
  name?: string | undefined;
}

/** Resource rule. */
export interface ResourceRule {
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Api groups. */
  apiGroups?: string[] | undefined;
  /** Resources. */
  resources?: string[] | undefined;
  /** Resource names. */
  resourceNames?: string[] | undefined;
}

/** Self subject access review. */
export interface SelfSubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: SelfSubjectAccessReviewSpec | undefined;
  /** Status. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** Self subject access review spec. */
export interface SelfSubjectAccessReviewSpec {
  /** Resource attributes. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Non resource attributes. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
}

/** Self subject rules review. */
export interface SelfSubjectRulesReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: SelfSubjectRulesReviewSpec | undefined;
  /** Status. */
  status?: SubjectRulesReviewStatus | undefined;
}

/** Self subject rules review spec. */
export interface SelfSubjectRulesReviewSpec {
  /** Namespace. */
  namespace?: string | undefined;
}

/** Subject access review. */
export interface SubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: SubjectAccessReviewSpec | undefined;
  /** Status. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** Subject access review spec. */
export interface SubjectAccessReviewSpec {
  /** Resource attributes. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Non resource attributes. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
  /** User. */
  user?: string | undefined;
  /** Groups. */
  groups?: string[] | undefined;
  /** Extra. */
  extra?: Record<string, string[]> | undefined;
  /** Uid. */
  uid?: string | undefined;
}

/** Subject access review status. */
export interface SubjectAccessReviewStatus {
  /** Allowed. */
  allowed?: boolean | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Evaluation error. */
  evaluationError?: string | undefined;
  /** Denied. */
  denied?: boolean | undefined;
}

/** Subject rules review status. */
export interface SubjectRulesReviewStatus {
  /** Resource rules. */
  resourceRules?: ResourceRule[] | null | undefined;
  /** Non resource rules. */
  nonResourceRules?: NonResourceRule[] | null | undefined;
  /** Incomplete. */
  incomplete?: boolean | undefined;
  /** Evaluation error. */
  evaluationError?: string | undefined;
}
