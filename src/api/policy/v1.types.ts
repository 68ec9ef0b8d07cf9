/** Types of policy/v1; generated from v1.proto by `npm run generate`. */
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Pod disruption budget. */
export interface PodDisruptionBudget {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PodDisruptionBudgetSpec | undefined;
  /** Status. */
  status?: PodDisruptionBudgetStatus | undefined;
}

/** Pod disruption budget list. */
export interface PodDisruptionBudgetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PodDisruptionBudget[] | null | undefined;
}

/** Pod disruption budget spec. */
export interface PodDisruptionBudgetSpec {
  /** Min available. */
  minAvailable?: number | string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Max unavailable. */
  maxUnavailable?: number | string | undefined;
}

/** Pod disruption budget status. */
export interface PodDisruptionBudgetStatus {
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Disrupted pods. */
  disruptedPods?: Record<string, string> | undefined;
  /** Disruptions allowed. */
  disruptionsAllowed?: number | undefined;
  /** Current healthy. */
  currentHealthy?: number | undefined;
  /** Desired healthy. */
  desiredHealthy?: number | undefined;
  /** Expected pods. */
  expectedPods?: number | undefined;
  /** Conditions. */
  conditions?: Condition[] | undefined;
}
