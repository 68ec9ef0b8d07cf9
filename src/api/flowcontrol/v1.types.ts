/** Types of flowcontrol/v1; generated from v1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Concurrency of a level whose requests never wait. */
export interface ExemptPriorityLevelConfiguration {
  /** Its part of what runs at once, which others may borrow. */
  nominalConcurrencyShares?: number | undefined;
  /** How much of it others may borrow, in percent. */
  lendablePercent?: number | undefined;
}

/** What makes requests belong to one flow. */
export interface FlowDistinguisherMethod {
  /** Which kind of thing this is. */
  type?: string | undefined;
}

/** Which requests belong to which priority level. */
export interface FlowSchema {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: FlowSchemaSpec | undefined;
  /** What was last observed; written by the system. */
  status?: FlowSchemaStatus | undefined;
}

/** One observation of a FlowSchema. */
export interface FlowSchemaCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of FlowSchema objects. */
export interface FlowSchemaList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: FlowSchema[] | null | undefined;
}

/** What is wanted of a FlowSchema. */
export interface FlowSchemaSpec {
  /** Priority level of matching requests. */
  priorityLevelConfiguration?: PriorityLevelConfigurationReference | undefined;
  /** Schemas with less are tried first. */
  matchingPrecedence?: number | undefined;
  /** What makes requests belong to one flow. */
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  /** Rules, each of which may match. */
  rules?: PolicyRulesWithSubjects[] | undefined;
}

/** What was last observed of a FlowSchema. */
export interface FlowSchemaStatus {
  /** Latest observations, one per type. */
  conditions?: FlowSchemaCondition[] | undefined;
}

/** A group of users. */
export interface GroupSubject {
  /** Name, unique among its siblings. */
  name?: string | undefined;
}

/** Share and limits of a level. */
export interface LimitedPriorityLevelConfiguration {
  /** The part of what runs at once, in shares; 0: only what is borrowed. */
  nominalConcurrencyShares?: number | null | undefined;
  /** What happens to requests that cannot run now. */
  limitResponse?: LimitResponse | undefined;
  /** How much of it others may borrow, in percent. */
  lendablePercent?: number | undefined;
  /** How much may be borrowed, in percent of the own part; absent: no limit. */
  borrowingLimitPercent?: number | undefined;
}

/** What happens to requests that cannot run now. */
export interface LimitResponse {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Settings of the queues. */
  queuing?: QueuingConfiguration | undefined;
}

/** Verbs on URL paths. */
export interface NonResourcePolicyRule {
  /** Verbs covered; * means all. */
  verbs?: string[] | null | undefined;
  /** URL paths covered; a trailing * covers all below. */
  nonResourceURLs?: string[] | null | undefined;
}

/** Requests of certain callers. */
export interface PolicyRulesWithSubjects {
  /** Who is meant. */
  subjects?: Subject[] | null | undefined;
  /** What may be done to resources. */
  resourceRules?: ResourcePolicyRule[] | undefined;
  /** What may be done to URL paths. */
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
}

/** A share of the server's capacity. */
export interface PriorityLevelConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PriorityLevelConfigurationSpec | undefined;
  /** What was last observed; written by the system. */
  status?: PriorityLevelConfigurationStatus | undefined;
}

/** One observation of a PriorityLevelConfiguration. */
export interface PriorityLevelConfigurationCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of PriorityLevelConfiguration objects. */
export interface PriorityLevelConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PriorityLevelConfiguration[] | null | undefined;
}

/** Names a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the object meant. */
  name?: string | undefined;
}

/** What is wanted of a PriorityLevelConfiguration. */
export interface PriorityLevelConfigurationSpec {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Settings of a limited level. */
  limited?: LimitedPriorityLevelConfiguration | undefined;
  /** Concurrency of an exempt level. */
  exempt?: ExemptPriorityLevelConfiguration | undefined;
}

/** What was last observed of a PriorityLevelConfiguration. */
export interface PriorityLevelConfigurationStatus {
  /** Latest observations, one per type. */
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
}

/** Queues of a level. */
export interface QueuingConfiguration {
  /** How many queues. */
  queues?: number | undefined;
  /** How many queues a flow may use. */
  handSize?: number | undefined;
  /** How many requests wait in one queue. */
  queueLengthLimit?: number | undefined;
}

/** Verbs on resources. */
export interface ResourcePolicyRule {
  /** Verbs covered; * means all. */
  verbs?: string[] | null | undefined;
  /** API groups covered; * means all. */
  apiGroups?: string[] | null | undefined;
  /** Resources meant. */
  resources?: string[] | null | undefined;
  /** Covers requests without a namespace. */
  clusterScope?: boolean | undefined;
  /** Namespaces meant. */
  namespaces?: string[] | null | undefined;
}

/** A service account. */
export interface ServiceAccountSubject {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
}

/** A user, group or service account. */
export interface Subject {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of a user. */
  user?: UserSubject | undefined;
  /** API group. */
  group?: GroupSubject | undefined;
  /** Old name of serviceAccountName. */
  serviceAccount?: ServiceAccountSubject | undefined;
}

/** A user. */
export interface UserSubject {
  /** Name, unique among its siblings. */
  name?: string | undefined;
}
