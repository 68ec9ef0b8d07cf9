/** Types of scheduling/v1alpha2; generated from v1alpha2.proto by `npm run generate`. */
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Pods of the group are scheduled one by one. */
export interface BasicSchedulingPolicy {}

/** Pods of the group are scheduled together. */
export interface GangSchedulingPolicy {
  /** Fewest pods that can be scheduled. */
  minCount?: number | undefined;
}

/** Pods that are scheduled together. */
export interface PodGroup {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodGroupSpec | undefined;
  /** What is observed. */
  status?: PodGroupStatus | undefined;
}

/** A list. */
export interface PodGroupList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodGroup[] | null | undefined;
}

/** A claim of devices that pods of a group share. */
export interface PodGroupResourceClaim {
  /** Name in the group. */
  name?: string | undefined;
  /** Name of a claim. */
  resourceClaimName?: string | undefined;
  /** Name of a template that a claim is made from. */
  resourceClaimTemplateName?: string | undefined;
}

/** The claim that was made from a template for a group. */
export interface PodGroupResourceClaimStatus {
  /** Name in the group. */
  name?: string | undefined;
  /** Name of the claim; absent: none was needed. */
  resourceClaimName?: string | undefined;
}

/** Where pods of a group may run. */
export interface PodGroupSchedulingConstraints {
  /** Places that all pods must share. */
  topology?: TopologyConstraint[] | undefined;
}

/** How pods of a group are scheduled. */
export interface PodGroupSchedulingPolicy {
  /** One by one. */
  basic?: BasicSchedulingPolicy | undefined;
  /** Together. */
  gang?: GangSchedulingPolicy | undefined;
}

/** What a group of pods wants. */
export interface PodGroupSpec {
  /** The template that the group is made from. */
  podGroupTemplateRef?: PodGroupTemplateReference | null | undefined;
  /** How the pods are scheduled. */
  schedulingPolicy?: PodGroupSchedulingPolicy | undefined;
  /** Where the pods may run. */
  schedulingConstraints?: PodGroupSchedulingConstraints | undefined;
  /** Claims that the pods share. */
  resourceClaims?: PodGroupResourceClaim[] | undefined;
  /** Whether single pods may be removed: Pod or PodGroup. */
  disruptionMode?: string | undefined;
  /** Priority class of the group. */
  priorityClassName?: string | undefined;
  /** Priority of the group. */
  priority?: number | undefined;
}

/** What is known of a group of pods. */
export interface PodGroupStatus {
  /** What holds, by type. */
  conditions?: Condition[] | undefined;
  /** Claims that were made from templates. */
  resourceClaimStatuses?: PodGroupResourceClaimStatus[] | undefined;
}

/** A group of pods of a workload. */
export interface PodGroupTemplate {
  /** Name, unique in the workload. */
  name?: string | undefined;
  /** How the pods are scheduled. */
  schedulingPolicy?: PodGroupSchedulingPolicy | undefined;
  /** Where the pods may run. */
  schedulingConstraints?: PodGroupSchedulingConstraints | null | undefined;
  /** Claims that the pods share. */
  resourceClaims?: PodGroupResourceClaim[] | undefined;
  /** Whether single pods may be removed: Pod or PodGroup. */
  disruptionMode?: string | undefined;
  /** Priority class of the groups. */
  priorityClassName?: string | undefined;
  /** Priority of the groups. */
  priority?: number | undefined;
}

/** Names the template of a group. */
export interface PodGroupTemplateReference {
  /** A template of a workload. */
  workload?: WorkloadPodGroupTemplateReference | null | undefined;
}

/** A place that pods must share. */
export interface TopologyConstraint {
  /** Label of nodes that names the place. */
  key?: string | undefined;
}

/** Names an object in the same namespace. */
export interface TypedLocalObjectReference {
  /** API group of the object meant; empty is core. */
  apiGroup?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
}

/** Groups of pods that belong together. */
export interface Workload {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: WorkloadSpec | undefined;
}

/** A list. */
export interface WorkloadList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Workload[] | null | undefined;
}

/** Names a template of a workload. */
export interface WorkloadPodGroupTemplateReference {
  /** Name of the workload. */
  workloadName?: string | undefined;
  /** Name of the template in it. */
  podGroupTemplateName?: string | undefined;
}

/** The groups of a workload. */
export interface WorkloadSpec {
  /** The object that the workload belongs to. */
  controllerRef?: TypedLocalObjectReference | undefined;
  /** The groups. */
  podGroupTemplates?: PodGroupTemplate[] | null | undefined;
}
