/** Types of flowcontrol/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Flow distinguisher method. */
export interface FlowDistinguisherMethod {
  /** Type. */
  type?: string | undefined;
}

/** Flow schema. */
export interface FlowSchema {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: FlowSchemaSpec | undefined;
  /** Status. */
  status?: FlowSchemaStatus | undefined;
}

/** Flow schema condition. */
export interface FlowSchemaCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Flow schema list. */
export interface FlowSchemaList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: FlowSchema[] | null | undefined;
}

/** Flow schema spec. */
export interface FlowSchemaSpec {
  /** Priority level configuration. */
  priorityLevelConfiguration?: PriorityLevelConfigurationReference | undefined;
  /** Matching precedence. */
  matchingPrecedence?: number | undefined;
  /** Distinguisher method. */
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  /** Rules. */
  rules?: PolicyRulesWithSubjects[] | undefined;
}

/** Flow schema status. */
export interface FlowSchemaStatus {
  /** Conditions. */
  conditions?: FlowSchemaCondition[] | undefined;
}

/** Group subject. */
export interface GroupSubject {
  /** Name. */
  name?: string | undefined;
}

/** Limit response. */
export interface LimitResponse {
  /** Type. */
  type?: string | undefined;
  /** Queuing. */
  queuing?: QueuingConfiguration | undefined;
}

/** Limited priority level configuration. */
export interface LimitedPriorityLevelConfiguration {
  /** Assured concurrency shares. */
  assuredConcurrencyShares?: number | undefined;
  /** Limit response. */
  limitResponse?: LimitResponse | undefined;
}

/** Non resource policy rule. */
export interface NonResourcePolicyRule {
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Non resource UR ls. */
  nonResourceURLs?: string[] | null | undefined;
}

/** Policy rules with subjects. */
export interface PolicyRulesWithSubjects {
  /** Subjects. */
  subjects?: Subject[] | null | undefined;
  /** Resource rules. */
  resourceRules?: ResourcePolicyRule[] | undefined;
  /** Non resource rules. */
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
}

/** Priority level configuration. */
export interface PriorityLevelConfiguration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PriorityLevelConfigurationSpec | undefined;
  /** Status. */
  status?: PriorityLevelConfigurationStatus | undefined;
}

/** Priority level configuration condition. */
export interface PriorityLevelConfigurationCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Priority level configuration list. */
export interface PriorityLevelConfigurationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PriorityLevelConfiguration[] | null | undefined;
}

/** Priority level configuration reference. */
export interface PriorityLevelConfigurationReference {
  /** Name. */
  name?: string | undefined;
}

/** Priority level configuration spec. */
export interface PriorityLevelConfigurationSpec {
  /** Type. */
  type?: string | undefined;
  /** Limited. */
  limited?: LimitedPriorityLevelConfiguration | undefined;
}

/** Priority level configuration status. */
export interface PriorityLevelConfigurationStatus {
  /** Conditions. */
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
}

/** Queuing configuration. */
export interface QueuingConfiguration {
  /** Queues. */
  queues?: number | undefined;
  /** Hand size. */
  handSize?: number | undefined;
  /** Queue length limit. */
  queueLengthLimit?: number | undefined;
}

/** Resource policy rule. */
export interface ResourcePolicyRule {
  /** Verbs. */
  verbs?: string[] | null | undefined;
  /** Api groups. */
  apiGroups?: string[] | null | undefined;
  /** Resources. */
  resources?: string[] | null | undefined;
  /** Cluster scope. */
  clusterScope?: boolean | undefined;
  /** Namespaces. */
  namespaces?: string[] | null | undefined;
}

/** Service account subject. */
export interface ServiceAccountSubject {
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
}

/** Subject. */
export interface Subject {
  /** Kind. */
  kind?: string | undefined;
  /** User. */
  user?: UserSubject | undefined;
  /** Group. */
  group?: GroupSubject | undefined;
  /** Service account. */
  serviceAccount?: ServiceAccountSubject | undefined;
}

/** User subject. */
export interface UserSubject {
  /** Name. */
  name?: string | undefined;
}
