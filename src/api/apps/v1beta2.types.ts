/** Types of apps/v1beta2; generated from v1beta2.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A past state of a set. */
export interface ControllerRevision {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The data, by key. */
  data?: JsonValue | undefined;
  /** Number of the revision. */
  revision?: number | undefined;
}

/** A list of ControllerRevision objects. */
export interface ControllerRevisionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ControllerRevision[] | null | undefined;
}

/** One pod on each fitting node. */
export interface DaemonSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: DaemonSetSpec | undefined;
  /** What was last observed; written by the system. */
  status?: DaemonSetStatus | undefined;
}

/** One observation of a DaemonSet. */
export interface DaemonSetCondition {
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

/** A list of DaemonSet objects. */
export interface DaemonSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: DaemonSet[] | null | undefined;
}

/** What is wanted of a DaemonSet. */
export interface DaemonSetSpec {
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | null | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** How pods are replaced when the template changes. */
  updateStrategy?: DaemonSetUpdateStrategy | undefined;
  /** Seconds that a new pod must be ready without a crash to count as available. */
  minReadySeconds?: number | undefined;
  /** How many old revisions are kept for a rollback. */
  revisionHistoryLimit?: number | undefined;
}

/** What was last observed of a DaemonSet. */
export interface DaemonSetStatus {
  /** Nodes that run the pod and should. */
  currentNumberScheduled?: number | undefined;
  /** Nodes that run the pod and should not. */
  numberMisscheduled?: number | undefined;
  /** Nodes that should run the pod. */
  desiredNumberScheduled?: number | undefined;
  /** Nodes whose pod is ready. */
  numberReady?: number | undefined;
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** Nodes whose pod follows the newest template. */
  updatedNumberScheduled?: number | undefined;
  /** Nodes whose pod has been ready for minReadySeconds. */
  numberAvailable?: number | undefined;
  /** Nodes that should have a ready pod and do not. */
  numberUnavailable?: number | undefined;
  /** Counts hash collisions, so that the next name differs. */
  collisionCount?: number | undefined;
  /** Latest observations, one per type. */
  conditions?: DaemonSetCondition[] | undefined;
}

/** How pods are replaced when the template changes. */
export interface DaemonSetUpdateStrategy {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Settings of a rolling update. */
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
}

/** Rolls pods of a template out and keeps their number. */
export interface Deployment {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: DeploymentSpec | undefined;
  /** What was last observed; written by the system. */
  status?: DeploymentStatus | undefined;
}

/** One observation of a Deployment. */
export interface DeploymentCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** When the condition was last written. */
  lastUpdateTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
}

/** A list of Deployment objects. */
export interface DeploymentList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Deployment[] | null | undefined;
}

/** What is wanted of a Deployment. */
export interface DeploymentSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | null | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** How to go about it. */
  strategy?: DeploymentStrategy | undefined;
  /** Seconds that a new pod must be ready without a crash to count as available. */
  minReadySeconds?: number | undefined;
  /** How many old revisions are kept for a rollback. */
  revisionHistoryLimit?: number | undefined;
  /** True: do nothing until set to false. */
  paused?: boolean | undefined;
  /** Seconds without progress after which a rollout counts as failed. */
  progressDeadlineSeconds?: number | undefined;
}

/** What was last observed of a Deployment. */
export interface DeploymentStatus {
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** How many there are. */
  replicas?: number | undefined;
  /** How many pods follow the newest template. */
  updatedReplicas?: number | undefined;
  /** How many pods have been ready for minReadySeconds. */
  availableReplicas?: number | undefined;
  /** How many pods are still missing. */
  unavailableReplicas?: number | undefined;
  /** Latest observations, one per type. */
  conditions?: DeploymentCondition[] | undefined;
  /** How many pods are ready. */
  readyReplicas?: number | undefined;
  /** Counts hash collisions, so that the next name differs. */
  collisionCount?: number | undefined;
  /** Pods that are ending. */
  terminatingReplicas?: number | undefined;
}

/** How pods are replaced when the template changes. */
export interface DeploymentStrategy {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Settings of a rolling update. */
  rollingUpdate?: RollingUpdateDeployment | undefined;
}

/** Keeps a number of pods running. */
export interface ReplicaSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ReplicaSetSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ReplicaSetStatus | undefined;
}

/** One observation of a ReplicaSet. */
export interface ReplicaSetCondition {
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

/** A list of ReplicaSet objects. */
export interface ReplicaSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ReplicaSet[] | null | undefined;
}

/** What is wanted of a ReplicaSet. */
export interface ReplicaSetSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | null | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** Seconds that a new pod must be ready without a crash to count as available. */
  minReadySeconds?: number | undefined;
}

/** What was last observed of a ReplicaSet. */
export interface ReplicaSetStatus {
  /** How many there are. */
  replicas?: number | undefined;
  /** How many pods carry all labels of the template. */
  fullyLabeledReplicas?: number | undefined;
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** How many pods are ready. */
  readyReplicas?: number | undefined;
  /** How many pods have been ready for minReadySeconds. */
  availableReplicas?: number | undefined;
  /** Latest observations, one per type. */
  conditions?: ReplicaSetCondition[] | undefined;
  /** Pods that are ending. */
  terminatingReplicas?: number | undefined;
}

/** Pace of a rolling update. */
export interface RollingUpdateDaemonSet {
  /** How many may be missing during the change, as a number or a percentage. */
  maxUnavailable?: number | string | undefined;
  /** How many more than wanted may exist during the change, as a number or a percentage. */
  maxSurge?: number | string | undefined;
}

/** Pace of a rolling update. */
export interface RollingUpdateDeployment {
  /** How many may be missing during the change, as a number or a percentage. */
  maxUnavailable?: number | string | undefined;
  /** How many more than wanted may exist during the change, as a number or a percentage. */
  maxSurge?: number | string | undefined;
}

/** How far a rolling update goes. */
export interface RollingUpdateStatefulSetStrategy {
  /** Partition of the volume; 0 or none: the whole. */
  partition?: number | undefined;
  /** How many pods may be unavailable during an update: a number or percent. */
  maxUnavailable?: number | string | undefined;
}

/** The number of replicas of a scalable object. */
export interface Scale {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ScaleSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ScaleStatus | undefined;
}

/** What is wanted of a Scale. */
export interface ScaleSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
}

/** What was last observed of a Scale. */
export interface ScaleStatus {
  /** How many there are. */
  replicas?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: Record<string, string> | undefined;
  /** The selector as text. */
  targetSelector?: string | undefined;
}

/** Pods with stable names and storage. */
export interface StatefulSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: StatefulSetSpec | undefined;
  /** What was last observed; written by the system. */
  status?: StatefulSetStatus | undefined;
}

/** One observation of a StatefulSet. */
export interface StatefulSetCondition {
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

/** A list of StatefulSet objects. */
export interface StatefulSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: StatefulSet[] | null | undefined;
}

/** How the pods of a set are numbered. */
export interface StatefulSetOrdinals {
  /** Number of the first pod. */
  start?: number | undefined;
}

/** What becomes of the claims of a set. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** Retain or Delete: when the set is deleted. */
  whenDeleted?: string | undefined;
  /** Retain or Delete: when a pod is no longer needed. */
  whenScaled?: string | undefined;
}

/** What is wanted of a StatefulSet. */
export interface StatefulSetSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | null | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** A claim per pod is made of each. */
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  /** Name of the Service. */
  serviceName?: string | undefined;
  /** OrderedReady: one pod at a time; Parallel: all at once. */
  podManagementPolicy?: string | undefined;
  /** How pods are replaced when the template changes. */
  updateStrategy?: StatefulSetUpdateStrategy | undefined;
  /** How many old revisions are kept for a rollback. */
  revisionHistoryLimit?: number | undefined;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number | undefined;
  /** What becomes of claims when pods or the set go. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
  /** How the pods are numbered. */
  ordinals?: StatefulSetOrdinals | undefined;
}

/** What was last observed of a StatefulSet. */
export interface StatefulSetStatus {
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** How many there are. */
  replicas?: number | undefined;
  /** How many pods are ready. */
  readyReplicas?: number | undefined;
  /** How many exist now. */
  currentReplicas?: number | undefined;
  /** How many pods follow the newest template. */
  updatedReplicas?: number | undefined;
  /** Revision of the pods not yet updated. */
  currentRevision?: string | undefined;
  /** Revision of the pods already updated. */
  updateRevision?: string | undefined;
  /** Counts hash collisions, so that the next name differs. */
  collisionCount?: number | undefined;
  /** Latest observations, one per type. */
  conditions?: StatefulSetCondition[] | undefined;
  /** Pods that have been ready for long enough. */
  availableReplicas?: number | undefined;
}

/** How pods are replaced when the template changes. */
export interface StatefulSetUpdateStrategy {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Settings of a rolling update. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
}
