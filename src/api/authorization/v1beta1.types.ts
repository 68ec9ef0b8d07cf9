/** Types of authorization/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectMeta } from '../meta/v1.types.ts';
import type { FieldSelectorAttributes, LabelSelectorAttributes } from './v1.types.ts';

/** Asks whether a user may do something in a namespace. */
export interface LocalSubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: SubjectAccessReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** A URL path and a verb. */
export interface NonResourceAttributes {
  /** Path to use. */
  path?: string | undefined;
  /** Verb asked about. */
  verb?: string | undefined;
}

/** Verbs on URL paths. */
export interface NonResourceRule {
  /** Verbs covered; * means all. */
  verbs?: string[] | null | undefined;
  /** URL paths covered; a trailing * covers all below. */
  nonResourceURLs?: string[] | undefined;
}

/** A resource and a verb. */
export interface ResourceAttributes {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Verb asked about. */
  verb?: string | undefined;
  /** API group. */
  group?: string | undefined;
  /** API version. */
  version?: string | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: string | undefined;
  /** Subresource meant. */
  subresource?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Field selector of the request. */
  fieldSelector?: FieldSelectorAttributes | undefined;
  /** Label selector of the request. */
  labelSelector?: LabelSelectorAttributes | undefined;
}

/** Verbs on resources. */
export interface ResourceRule {
  /** Verbs covered; * means all. */
  verbs?: string[] | null | undefined;
  /** API groups covered; * means all. */
  apiGroups?: string[] | undefined;
  /** Resources meant. */
  resources?: string[] | undefined;
  /** Names covered; empty means all. */
  resourceNames?: string[] | undefined;
}

/** Asks whether the caller may do something. */
export interface SelfSubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: SelfSubjectAccessReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** The question. */
export interface SelfSubjectAccessReviewSpec {
  /** Asks about a resource. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Asks about a URL path. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
}

/** Asks what the caller may do in a namespace. */
export interface SelfSubjectRulesReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: SelfSubjectRulesReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: SubjectRulesReviewStatus | undefined;
}

/** The question. */
export interface SelfSubjectRulesReviewSpec {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
}

/** Asks whether a user may do something. */
export interface SubjectAccessReview {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: SubjectAccessReviewSpec | undefined;
  /** What was last observed; written by the system. */
  status?: SubjectAccessReviewStatus | undefined;
}

/** The question. */
export interface SubjectAccessReviewSpec {
  /** Asks about a resource. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** Asks about a URL path. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** API group. */
  group?: string[] | undefined;
  /** More about the user, from whoever authenticated it. */
  extra?: Record<string, string[]> | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
}

/** The answer. */
export interface SubjectAccessReviewStatus {
  /** True: it may go ahead. */
  allowed?: boolean | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** What went wrong while deciding; the answer may still stand. */
  evaluationError?: string | undefined;
  /** True: no rule may allow it any more. */
  denied?: boolean | undefined;
}

/** What the user may do. */
export interface SubjectRulesReviewStatus {
  /** What may be done to resources. */
  resourceRules?: ResourceRule[] | null | undefined;
  /** What may be done to URL paths. */
  nonResourceRules?: NonResourceRule[] | null | undefined;
  /** True: there may be rules that are not listed. */
  incomplete?: boolean | undefined;
  /** What went wrong while deciding; the answer may still stand. */
  evaluationError?: string | undefined;
}
