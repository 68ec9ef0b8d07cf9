/** Types of autoscaling/v2; generated from v2.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Aims at a resource that one container of each pod uses. */
export interface ContainerResourceMetricSource {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** What is aimed at. */
  target?: MetricTarget | undefined;
  /** Name of a container. */
  container?: string | undefined;
}

/** What one container of each pod uses. */
export interface ContainerResourceMetricStatus {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** What is measured now. */
  current?: MetricValueStatus | undefined;
  /** Name of a container. */
  container?: string | undefined;
}

/** Names the object that is scaled. */
export interface CrossVersionObjectReference {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Group and version of the object meant. */
  apiVersion?: string | undefined;
}

/** Aims at a metric from outside the cluster. */
export interface ExternalMetricSource {
  /** The metric. */
  metric?: MetricIdentifier | undefined;
  /** What is aimed at. */
  target?: MetricTarget | undefined;
}

/** A metric from outside the cluster, as measured. */
export interface ExternalMetricStatus {
  /** The metric. */
  metric?: MetricIdentifier | undefined;
  /** What is measured now. */
  current?: MetricValueStatus | undefined;
}

/** Sets the number of replicas by measured load. */
export interface HorizontalPodAutoscaler {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: HorizontalPodAutoscalerSpec | undefined;
  /** What was last observed; written by the system. */
  status?: HorizontalPodAutoscalerStatus | undefined;
}

/** How fast scaling goes up and down. */
export interface HorizontalPodAutoscalerBehavior {
  /** How fast it grows. */
  scaleUp?: HPAScalingRules | undefined;
  /** How fast it shrinks. */
  scaleDown?: HPAScalingRules | undefined;
}

/** One observation of a HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscalerCondition {
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

/** A list of HorizontalPodAutoscaler objects. */
export interface HorizontalPodAutoscalerList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: HorizontalPodAutoscaler[] | null | undefined;
}

/** What is wanted of a HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscalerSpec {
  /** The object whose replicas are set. */
  scaleTargetRef?: CrossVersionObjectReference | undefined;
  /** Never fewer than this. */
  minReplicas?: number | undefined;
  /** Never more than this. */
  maxReplicas?: number | undefined;
  /** What decides the number of replicas; the largest demand wins. */
  metrics?: MetricSpec[] | undefined;
  /** How fast it scales. */
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
}

/** What was last observed of a HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** When the number of replicas last changed. */
  lastScaleTime?: string | null | undefined;
  /** How many exist now. */
  currentReplicas?: number | undefined;
  /** How many replicas are wanted now. */
  desiredReplicas?: number | undefined;
  /** What was last measured. */
  currentMetrics?: MetricStatus[] | null | undefined;
  /** Latest observations, one per type. */
  conditions?: HorizontalPodAutoscalerCondition[] | undefined;
}

/** How much may change in a period. */
export interface HPAScalingPolicy {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** The value. */
  value?: number | undefined;
  /** Length of the period in seconds. */
  periodSeconds?: number | undefined;
}

/** How fast one direction of scaling goes. */
export interface HPAScalingRules {
  /** Which policy counts: Max, Min or Disabled. */
  selectPolicy?: string | undefined;
  /** Limits of the speed. */
  policies?: HPAScalingPolicy[] | undefined;
  /** Seconds of past advice that are taken into account. */
  stabilizationWindowSeconds?: number | undefined;
  /** How far the metric may be off before the number of pods changes, as a ratio. */
  tolerance?: string | undefined;
}

/** Names a metric. */
export interface MetricIdentifier {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
}

/** A metric to aim at. */
export interface MetricSpec {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** The object. */
  object?: ObjectMetricSource | undefined;
  /** A metric of the pods themselves, averaged. */
  pods?: PodsMetricSource | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: ResourceMetricSource | undefined;
  /** A metric of something outside the cluster. */
  external?: ExternalMetricSource | undefined;
  /** A resource that one container of each pod uses. */
  containerResource?: ContainerResourceMetricSource | undefined;
}

/** A metric as measured. */
export interface MetricStatus {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** The object. */
  object?: ObjectMetricStatus | undefined;
  /** A metric of the pods themselves, averaged. */
  pods?: PodsMetricStatus | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: ResourceMetricStatus | undefined;
  /** A metric of something outside the cluster. */
  external?: ExternalMetricStatus | undefined;
  /** A resource that one container of each pod uses. */
  containerResource?: ContainerResourceMetricStatus | undefined;
}

/** A value to aim for. */
export interface MetricTarget {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** The value. */
  value?: string | undefined;
  /** Average per pod. */
  averageValue?: string | undefined;
  /** Average percentage of the request. */
  averageUtilization?: number | undefined;
}

/** A value as measured. */
export interface MetricValueStatus {
  /** The value. */
  value?: string | undefined;
  /** Average per pod. */
  averageValue?: string | undefined;
  /** Average percentage of the request. */
  averageUtilization?: number | undefined;
}

/** Aims at a metric of one object. */
export interface ObjectMetricSource {
  /** The object that the metric is about. */
  describedObject?: CrossVersionObjectReference | undefined;
  /** What is aimed at. */
  target?: MetricTarget | undefined;
  /** The metric. */
  metric?: MetricIdentifier | undefined;
}

/** A metric of one object, as measured. */
export interface ObjectMetricStatus {
  /** The metric. */
  metric?: MetricIdentifier | undefined;
  /** What is measured now. */
  current?: MetricValueStatus | undefined;
  /** The object that the metric is about. */
  describedObject?: CrossVersionObjectReference | undefined;
}

/** Aims at an average over pods. */
export interface PodsMetricSource {
  /** The metric. */
  metric?: MetricIdentifier | undefined;
  /** What is aimed at. */
  target?: MetricTarget | undefined;
}

/** An average over pods, as measured. */
export interface PodsMetricStatus {
  /** The metric. */
  metric?: MetricIdentifier | undefined;
  /** What is measured now. */
  current?: MetricValueStatus | undefined;
}

/** Aims at a resource that pods use. */
export interface ResourceMetricSource {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** What is aimed at. */
  target?: MetricTarget | undefined;
}

/** What pods use of a resource. */
export interface ResourceMetricStatus {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** What is measured now. */
  current?: MetricValueStatus | undefined;
}
