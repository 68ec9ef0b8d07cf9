/** Types of apps/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Controller revision. */
export interface ControllerRevision {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Data. */
  data?: JsonValue | undefined;
  /** Revision. */
  revision?: number | undefined;
}

/** Controller revision list. */
export interface ControllerRevisionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ControllerRevision[] | null | undefined;
}

/** Deployment. */
export interface Deployment {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: DeploymentSpec | undefined;
  /** Status. */
  status?: DeploymentStatus | undefined;
}

/** Deployment condition. */
export interface DeploymentCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Last update time. */
  lastUpdateTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
}

/** Deployment list. */
export interface DeploymentList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Deployment[] | null | undefined;
}

/** Deployment rollback. */
export interface DeploymentRollback {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Updated annotations. */
  updatedAnnotations?: Record<string, string> | undefined;
  /** Rollback to. */
  rollbackTo?: RollbackConfig | undefined;
}

/** Deployment spec. */
export interface DeploymentSpec {
  /** Replicas. */
  replicas?: number | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Strategy. */
  strategy?: DeploymentStrategy | undefined;
  /** Min ready seconds. */
  minReadySeconds?: number | undefined;
  /** Revision history limit. */
  revisionHistoryLimit?: number | undefined;
  /** Paused. */
  paused?: boolean | undefined;
  /** Rollback to. */
  rollbackTo?: RollbackConfig | undefined;
  /** Progress deadline seconds. */
  progressDeadlineSeconds?: number | undefined;
}

/** Deployment status. */
export interface DeploymentStatus {
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Replicas. */
  replicas?: number | undefined;
  /** Updated replicas. */
  updatedReplicas?: number | undefined;
  /** Available replicas. */
  availableReplicas?: number | undefined;
  /** Unavailable replicas. */
  unavailableReplicas?: number | undefined;
  /** Conditions. */
  conditions?: DeploymentCondition[] | undefined;
  /** Ready replicas. */
  readyReplicas?: number | undefined;
  /** Collision count. */
  collisionCount?: number | undefined;
}

/** Deployment strategy. */
export interface DeploymentStrategy {
  /** Type. */
  type?: string | undefined;
  /** Rolling update. */
  rollingUpdate?: RollingUpdateDeployment | undefined;
}

/** Rollback config. */
export interface RollbackConfig {
  /** Revision. */
  revision?: number | undefined;
}

/** Rolling update deployment. */
export interface RollingUpdateDeployment {
  /** Max unavailable. */
  maxUnavailable?: number | string | undefined;
  /** Max surge. */
  maxSurge?: number | string | undefined;
}

/** Rolling update stateful set strategy. */
export interface RollingUpdateStatefulSetStrategy {
  /** Partition. */
  partition?: number | undefined;
}

/** Scale. */
export interface Scale {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ScaleSpec | undefined;
  /** Status. */
  status?: ScaleStatus | undefined;
}

/** Scale spec. */
export interface ScaleSpec {
  /** Replicas. */
  replicas?: number | undefined;
}

/** Scale status. */
export interface ScaleStatus {
  /** Replicas. */
  replicas?: number | undefined;
  /** Selector. */
  selector?: Record<string, string> | undefined;
  /** Target selector. */
  targetSelector?: string | undefined;
}

/** Stateful set. */
export interface StatefulSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: StatefulSetSpec | undefined;
  /** Status. */
  status?: StatefulSetStatus | undefined;
}

/** Stateful set condition. */
export interface StatefulSetCondition {
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

/** Stateful set list. */
export interface StatefulSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: StatefulSet[] | null | undefined;
}

/** Stateful set spec. */
export interface StatefulSetSpec {
  /** Replicas. */
  replicas?: number | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Volume claim templates. */
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  /** Service name. */
  serviceName?: string | undefined;
  /** Pod management policy. */
  podManagementPolicy?: string | undefined;
  /** Update strategy. */
  updateStrategy?: StatefulSetUpdateStrategy | undefined;
  /** Revision history limit. */
  revisionHistoryLimit?: number | undefined;
}

/** Stateful set status. */
export interface StatefulSetStatus {
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Replicas. */
  replicas?: number | undefined;
  /** Ready replicas. */
  readyReplicas?: number | undefined;
  /** Current replicas. */
  currentReplicas?: number | undefined;
  /** Updated replicas. */
  updatedReplicas?: number | undefined;
  /** Current revision. */
  currentRevision?: string | undefined;
  /** Update revision. */
  updateRevision?: string | undefined;
  /** Collision count. */
  collisionCount?: number | undefined;
  /** Conditions. */
  conditions?: StatefulSetCondition[] | undefined;
}

/** Stateful set update strategy. */
export interface StatefulSetUpdateStrategy {
  /** Type. */
  type?: string | undefined;
  /** Rolling update. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
}
