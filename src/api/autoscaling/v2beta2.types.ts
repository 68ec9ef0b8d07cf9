/** Types of autoscaling/v2beta2; generated from v2beta2.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Container resource metric source. */
export interface ContainerResourceMetricSource {
  /** Name. */
  name?: string | undefined;
  /** Target. */
  target?: MetricTarget | undefined;
  /** Container. */
  container?: string | undefined;
}

/** Container resource metric status. */
export interface ContainerResourceMetricStatus {
  /** Name. */
  name?: string | undefined;
  /** Current. */
  current?: MetricValueStatus | undefined;
  /** Container. */
  container?: string | undefined;
}

/** Cross version object reference. */
export interface CrossVersionObjectReference {
  /** Kind. */
  kind?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Api version. */
  apiVersion?: string | undefined;
}

/** External metric source. */
export interface ExternalMetricSource {
  /** Metric. */
  metric?: MetricIdentifier | undefined;
  /** Target. */
  target?: MetricTarget | undefined;
}

/** External metric status. */
export interface ExternalMetricStatus {
  /** Metric. */
  metric?: MetricIdentifier | undefined;
  /** Current. */
  current?: MetricValueStatus | undefined;
}

/** HPA scaling policy. */
export interface HPAScalingPolicy {
  /** Type. */
  type?: string | undefined;
  /** Value. */
  value?: number | undefined;
  /** Period seconds. */
  periodSeconds?: number | undefined;
}

/** HPA scaling rules. */
export interface HPAScalingRules {
  /** Select policy. */
  selectPolicy?: string | undefined;
  /** Policies. */
  policies?: HPAScalingPolicy[] | undefined;
  /** Stabilization window seconds. */
  stabilizationWindowSeconds?: number | undefined;
}

/** Horizontal pod autoscaler. */
export interface HorizontalPodAutoscaler {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: HorizontalPodAutoscalerSpec | undefined;
  /** Status. */
  status?: HorizontalPodAutoscalerStatus | undefined;
}

/** Horizontal pod autoscaler behavior. */
export interface HorizontalPodAutoscalerBehavior {
  /** Scale up. */
  scaleUp?: HPAScalingRules | undefined;
  /** Scale down. */
  scaleDown?: HPAScalingRules | undefined;
}

/** Horizontal pod autoscaler condition. */
export interface HorizontalPodAutoscalerCondition {
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

/** Horizontal pod autoscaler list. */
export interface HorizontalPodAutoscalerList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: HorizontalPodAutoscaler[] | null | undefined;
}

/** Horizontal pod autoscaler spec. */
export interface HorizontalPodAutoscalerSpec {
  /** Scale target ref. */
  scaleTargetRef?: CrossVersionObjectReference | undefined;
  /** Min replicas. */
  minReplicas?: number | undefined;
  /** Max replicas. */
  maxReplicas?: number | undefined;
  /** Metrics. */
  metrics?: MetricSpec[] | undefined;
  /** Behavior. */
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
}

/** Horizontal pod autoscaler status. */
export interface HorizontalPodAutoscalerStatus {
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Last scale time. */
  lastScaleTime?: string | null | undefined;
  /** Current replicas. */
  currentReplicas?: number | undefined;
  /** Desired replicas. */
  desiredReplicas?: number | undefined;
  /** Current metrics. */
  currentMetrics?: MetricStatus[] | null | undefined;
  /** Conditions. */
  conditions?: HorizontalPodAutoscalerCondition[] | null | undefined;
}

/** Metric identifier. */
export interface MetricIdentifier {
  /** Name. */
  name?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
}

/** Metric spec. */
export interface MetricSpec {
  /** Type. */
  type?: string | undefined;
  /** Object. */
  object?: ObjectMetricSource | undefined;
  /** Pods. */
  pods?: PodsMetricSource | undefined;
  /** Resource. */
  resource?: ResourceMetricSource | undefined;
  /** External. */
  external?: ExternalMetricSource | undefined;
  /** Container resource. */
  containerResource?: ContainerResourceMetricSource | undefined;
}

/** Metric status. */
export interface MetricStatus {
  /** Type. */
  type?: string | undefined;
  /** Object. */
  object?: ObjectMetricStatus | undefined;
  /** Pods. */
  pods?: PodsMetricStatus | undefined;
  /** Resource. */
  resource?: ResourceMetricStatus | undefined;
  /** External. */
  external?: ExternalMetricStatus | undefined;
  /** Container resource. */
  containerResource?: ContainerResourceMetricStatus | undefined;
}

/** Metric target. */
export interface MetricTarget {
  /** Type. */
  type?: string | undefined;
  /** Value. */
  value?: string | undefined;
  /** Average value. */
  averageValue?: string | undefined;
  /** Average utilization. */
  averageUtilization?: number | undefined;
}

/** Metric value status. */
export interface MetricValueStatus {
  /** Value. */
  value?: string | undefined;
  /** Average value. */
  averageValue?: string | undefined;
  /** Average utilization. */
  averageUtilization?: number | undefined;
}

/** Object metric source. */
export interface ObjectMetricSource {
  /** Described object. */
  describedObject?: CrossVersionObjectReference | undefined;
  /** Target. */
  target?: MetricTarget | undefined;
  /** Metric. */
  metric?: MetricIdentifier | undefined;
}

/** Object metric status. */
export interface ObjectMetricStatus {
  /** Metric. */
  metric?: MetricIdentifier | undefined;
  /** Current. */
  current?: MetricValueStatus | undefined;
  /** Described object. */
  describedObject?: CrossVersionObjectReference | undefined;
}

/** Pods metric source. */
export interface PodsMetricSource {
  /** Metric. */
  metric?: MetricIdentifier | undefined;
  /** Target. */
  target?: MetricTarget | undefined;
}

/** Pods metric status. */
export interface PodsMetricStatus {
  /** Metric. */
  metric?: MetricIdentifier | undefined;
  /** Current. */
  current?: MetricValueStatus | undefined;
}

/** Resource metric source. */
export interface ResourceMetricSource {
  /** Name. */
  name?: string | undefined;
  /** Target. */
  target?: MetricTarget | undefined;
}

/** Resource metric status. */
export interface ResourceMetricStatus {
  /** Name. */
  name?: string | undefined;
  /** Current. */
  current?: MetricValueStatus | undefined;
}
