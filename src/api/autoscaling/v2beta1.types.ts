/** Types of autoscaling/v2beta1; generated from v2beta1.proto by `npm run generate`. */
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Aims at a resource that one container of each pod uses. */
export interface ContainerResourceMetricSource {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Average percentage of the request to aim for. */
  targetAverageUtilization?: number | undefined;
  /** Average per pod to aim for. */
  targetAverageValue?: string | undefined;
  /** Name of a container. */
  container?: string | undefined;
}

/** What one container of each pod uses. */
export interface ContainerResourceMetricStatus {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Average percentage of the request just measured. */
  currentAverageUtilization?: number | undefined;
  /** Average per pod just measured. */
  currentAverageValue?: string | undefined;
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
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Labels that narrow down the metric. */
  metricSelector?: LabelSelector | undefined;
  /** Value to aim for. */
  targetValue?: string | undefined;
  /** Average per pod to aim for. */
  targetAverageValue?: string | undefined;
}

/** A metric from outside the cluster, as measured. */
export interface ExternalMetricStatus {
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Labels that narrow down the metric. */
  metricSelector?: LabelSelector | undefined;
  /** Value just measured. */
  currentValue?: string | undefined;
  /** Average per pod just measured. */
  currentAverageValue?: string | undefined;
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
  conditions?: HorizontalPodAutoscalerCondition[] | null | undefined;
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

/** Aims at a metric of one object. */
export interface ObjectMetricSource {
  /** What is aimed at. */
  target?: CrossVersionObjectReference | undefined;
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Value to aim for. */
  targetValue?: string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
  /** Average per pod. */
  averageValue?: string | undefined;
}

/** A metric of one object, as measured. */
export interface ObjectMetricStatus {
  /** What is aimed at. */
  target?: CrossVersionObjectReference | undefined;
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Value just measured. */
  currentValue?: string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
  /** Average per pod. */
  averageValue?: string | undefined;
}

/** Aims at an average over pods. */
export interface PodsMetricSource {
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Average per pod to aim for. */
  targetAverageValue?: string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
}

/** An average over pods, as measured. */
export interface PodsMetricStatus {
  /** Name of the metric. */
  metricName?: string | undefined;
  /** Average per pod just measured. */
  currentAverageValue?: string | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
}

/** Aims at a resource that pods use. */
export interface ResourceMetricSource {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Average percentage of the request to aim for. */
  targetAverageUtilization?: number | undefined;
  /** Average per pod to aim for. */
  targetAverageValue?: string | undefined;
}

/** What pods use of a resource. */
export interface ResourceMetricStatus {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Average percentage of the request just measured. */
  currentAverageUtilization?: number | undefined;
  /** Average per pod just measured. */
  currentAverageValue?: string | undefined;
}
