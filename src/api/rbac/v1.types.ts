/** Types of rbac/v1; generated from v1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Gathers the rules of other roles. */
export interface AggregationRule {
  /** Labels of the roles whose rules are gathered. */
  clusterRoleSelectors?: LabelSelector[] | undefined;
}

/** Rules for the whole cluster. */
export interface ClusterRole {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Rules, each of which may match. */
  rules?: PolicyRule[] | null | undefined;
  /** Gather the rules of other roles instead of own ones. */
  aggregationRule?: AggregationRule | undefined;
}

/** Gives a role in the whole cluster. */
export interface ClusterRoleBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Who is meant. */
  subjects?: Subject[] | undefined;
  /** The role that is given; it cannot be changed. */
  roleRef?: RoleRef | undefined;
}

/** A list of ClusterRoleBinding objects. */
export interface ClusterRoleBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ClusterRoleBinding[] | null | undefined;
}

/** A list of ClusterRole objects. */
export interface ClusterRoleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ClusterRole[] | null | undefined;
}

/** Verbs on resources or URL paths. */
export interface PolicyRule {
  /** Verbs covered; * means all. */
  verbs?: string[] | null | undefined;
  /** API groups covered; * means all. */
  apiGroups?: string[] | undefined;
  /** Resources meant. */
  resources?: string[] | undefined;
  /** Names covered; empty means all. */
  resourceNames?: string[] | undefined;
  /** URL paths covered; a trailing * covers all below. */
  nonResourceURLs?: string[] | undefined;
}

/** Rules within a namespace. */
export interface Role {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Rules, each of which may match. */
  rules?: PolicyRule[] | null | undefined;
}

/** Gives a role within a namespace. */
export interface RoleBinding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Who is meant. */
  subjects?: Subject[] | undefined;
  /** The role that is given; it cannot be changed. */
  roleRef?: RoleRef | undefined;
}

/** A list of RoleBinding objects. */
export interface RoleBindingList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: RoleBinding[] | null | undefined;
}

/** A list of Role objects. */
export interface RoleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Role[] | null | undefined;
}

/** Names a role. */
export interface RoleRef {
  /** API group of the object meant; empty is core. */
  apiGroup?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
}

/** A user, group or service account. */
export interface Subject {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** API group of the object meant; empty is core. */
  apiGroup?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
}
