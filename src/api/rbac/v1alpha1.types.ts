/** Types of rbac/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Aggregation rule. */
export interface AggregationRule {
  /** Cluster role selectors. */
  clusterRoleSelectors?: LabelSelector[] | undefined;
}

/** Cluster role. */
export interface ClusterRole {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Rules. */
  rules?: PolicyRule[] | null | undefined;
  /** Aggregation rule. */
  aggregationRule?: AggregationRule | undefined;
}

/** Cluster role binding. */
export interface ClusterRoleBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Subjects. */
  subjects?: Subject[] | undefined;
  /** Role ref. */
  roleRef?: RoleRef | undefined;
}

/** Cluster role binding list. */
export interface ClusterRoleBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ClusterRoleBinding[] | null | undefined;
}

/** Cluster role list. */
export interface ClusterRoleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ClusterRole[] | null | undefined;
}

/** Policy rule. */
export interface PolicyRule {
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Api groups. */
  apiGroups?: string[] | undefined;
  /** Resources. */
  resources?: string[] | undefined;
  /** Resource names. */
  resourceNames?: string[] | undefined;
  /** Non resource UR ls. */
  nonResourceURLs?: string[] | undefined;
}

/** Role. */
export interface Role {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Rules. */
  rules?: PolicyRule[] | null | undefined;
}

/** Role binding. */
export interface RoleBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Subjects. */
  subjects?: Subject[] | undefined;
  /** Role ref. */
  roleRef?: RoleRef | undefined;
}

/** Role binding list. */
export interface RoleBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: RoleBinding[] | null | undefined;
}

/** Role list. */
export interface RoleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Role[] | null | undefined;
}

/** Role ref. */
export interface RoleRef {
  /** Api group. */
  apiGroup?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** Name. */
  name?: string | undefined;
}

/** Subject. */
export interface Subject {
  /** Kind. */
  kind?: string | undefined;
  /** Api version. */
  apiVersion?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Namespace. */
  namespace?: string | undefined;
}
