/** Types of policy/v1; generated from v1.proto by `npm run generate`. */
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Removes a pod unless a budget forbids it. Known from release 1.22 on. */
export interface Eviction {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** How to delete. */
  deleteOptions?: DeleteOptions | undefined;
}

/** How many pods must stay during voluntary disruptions. */
export interface PodDisruptionBudget {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodDisruptionBudgetSpec | undefined;
  /** What was last observed; written by the system. */
  status?: PodDisruptionBudgetStatus | undefined;
}

/** A list of PodDisruptionBudget objects. */
export interface PodDisruptionBudgetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodDisruptionBudget[] | null | undefined;
}

/** What is wanted of a PodDisruptionBudget. */
export interface PodDisruptionBudgetSpec {
  /** How many must stay, as a number or a percentage. */
  minAvailable?: number | string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
  /** How many may be missing during the change, as a number or a percentage. */
  maxUnavailable?: number | string | undefined;
  /** When pods that are not ready may be evicted: IfHealthyBudget or AlwaysAllow. */
  unhealthyPodEvictionPolicy?: string | undefined;
}

/** What was last observed of a PodDisruptionBudget. */
export interface PodDisruptionBudgetStatus {
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** Pods being evicted, and since when. */
  disruptedPods?: Record<string, string> | undefined;
  /** How many may be evicted now. */
  disruptionsAllowed?: number | undefined;
  /** How many are healthy. */
  currentHealthy?: number | undefined;
  /** How many must be healthy. */
  desiredHealthy?: number | undefined;
  /** How many are counted. */
  expectedPods?: number | undefined;
  /** Latest observations, one per type. */
  conditions?: Condition[] | undefined;
}
