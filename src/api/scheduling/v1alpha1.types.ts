/** Types of scheduling/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A name for a priority of pods. */
export interface PriorityClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The value. */
  value?: number | undefined;
  /** Used for pods that name no class. */
  globalDefault?: boolean | undefined;
  /** Text for people. */
  description?: string | undefined;
  /** Whether pods of lower priority may be evicted to make room. */
  preemptionPolicy?: string | undefined;
}

/** A list of PriorityClass objects. */
export interface PriorityClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PriorityClass[] | null | undefined;
}

/** Pods of the group are scheduled one by one. */
export interface BasicSchedulingPolicy {}

/** Pods of the group are scheduled together. */
export interface GangSchedulingPolicy {
  /** Fewest pods that can be scheduled. */
  minCount?: number | undefined;
}

/** Pods that are scheduled together. */
export interface PodGroup {
  /** Name, unique in the workload. */
  name?: string | undefined;
  /** How the pods are scheduled. */
  policy?: PodGroupPolicy | undefined;
}

/** How pods of a group are scheduled. */
export interface PodGroupPolicy {
  /** One by one. */
  basic?: BasicSchedulingPolicy | undefined;
  /** Together. */
  gang?: GangSchedulingPolicy | undefined;
}

/** Names an object of the namespace. */
export interface TypedLocalObjectReference {
  /** Group of the object; empty: the core group. */
  apiGroup?: string | undefined;
  /** Kind of the object. */
  kind?: string | undefined;
  /** Name of the object. */
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

/** The groups. */
export interface WorkloadSpec {
  /** The object that made the workload. */
  controllerRef?: TypedLocalObjectReference | undefined;
  /** The groups. */
  podGroups?: PodGroup[] | null | undefined;
}
