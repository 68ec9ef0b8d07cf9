/** Types of autoscaling/v2beta1; generated from v2beta1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Container resource metric source. */
export interface ContainerResourceMetricSource {
  /** Name. */
  name?: string | undefined;
  /** Target average utilization. */
  targetAverageUtilization?: number | undefined;
  /** Target average value. */
  targetAverageValue?: string | undefined;
  /** Container. */
  container?: string | undefined;
}

/** Container resource metric status. */
export interface ContainerResourceMetricStatus {
  /** Name. */
  name?: string | undefined;
  /** Current average utilization. */
  currentAverageUtilization?: number | undefined;
  /** Current average value. */
  currentAverageValue?: string | undefined;
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
  /** Metric name. */
  metricName?: string | undefined;
  /** Metric selector. */
  metricSelector?: LabelSelector | undefined;
  /** Target value. */
  targetValue?: string | undefined;
  /** Target average value. */
  targetAverageValue?: string | undefined;
}

/** External metric status. */
export interface ExternalMetricStatus {
  /** Metric name. */
  metricName?: string | undefined;
  /** Metric selector. */
  metricSelector?: LabelSelector | undefined;
  /** Current value. */
  currentValue?: string | undefined;
  /** Current average value. */
  currentAverageValue?: string | undefined;
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

/** Object metric source. */
export interface ObjectMetricSource {
  /** Target. */
  target?: CrossVersionObjectReference | undefined;
  /** Metric name. */
  metricName?: string | undefined;
  /** Target value. */
  targetValue?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Average value. */
  averageValue?: string | undefined;
}

/** Object metric status. */
export interface ObjectMetricStatus {
  /** Target. */
  target?: CrossVersionObjectReference | undefined;
  /** Metric name. */
  metricName?: string | undefined;
  /** Current value. */
  currentValue?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Average value. */
  averageValue?: string | undefined;
}

/** Pods metric source. */
export interface PodsMetricSource {
  /** Metric name. */
  metricName?: string | undefined;
  /** Target average value. */
  targetAverageValue?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
}

/** Pods metric status. */
export interface PodsMetricStatus {
  /** Metric name. */
  metricName?: string | undefined;
  /** Current average value. */
  currentAverageValue?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
}

/** Resource metric source. */
export interface ResourceMetricSource {
  /** Name. */
  name?: string | undefined;
  /** Target average utilization. */
  targetAverageUtilization?: number | undefined;
  /** Target average value. */
  targetAverageValue?: string | undefined;
}

/** Resource metric status. */
export interface ResourceMetricStatus {
  /** Name. */
  name?: string | undefined;
  /** Current average utilization. */
  currentAverageUtilization?: number | undefined;
  /** Current average value. */
  currentAverageValue?: string | undefined;
}
