/** Types of extensions/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type {
  LoadBalancerStatus,
  PodTemplateSpec,
  SELinuxOptions,
  TypedLocalObjectReference,
} from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Allowed CSI driver. */
export interface AllowedCSIDriver {
  /** Name. */
  name?: string | undefined;
}

/** Allowed flex volume. */
export interface AllowedFlexVolume {
  /** Driver. */
  driver?: string | undefined;
}

/** Allowed host path. */
export interface AllowedHostPath {
  /** Path prefix. */
  pathPrefix?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Daemon set. */
export interface DaemonSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: DaemonSetSpec | undefined;
  /** Status. */
  status?: DaemonSetStatus | undefined;
}

/** Daemon set condition. */
export interface DaemonSetCondition {
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

/** Daemon set list. */
export interface DaemonSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: DaemonSet[] | null | undefined;
}

/** Daemon set spec. */
export interface DaemonSetSpec {
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Update strategy. */
  updateStrategy?: DaemonSetUpdateStrategy | undefined;
  /** Min ready seconds. */
  minReadySeconds?: number | undefined;
  /** Template generation. */
  templateGeneration?: number | undefined;
  /** Revision history limit. */
  revisionHistoryLimit?: number | undefined;
}

/** Daemon set status. */
export interface DaemonSetStatus {
  /** Current number scheduled. */
  currentNumberScheduled?: number | undefined;
  /** Number misscheduled. */
  numberMisscheduled?: number | undefined;
  /** Desired number scheduled. */
  desiredNumberScheduled?: number | undefined;
  /** Number ready. */
  numberReady?: number | undefined;
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Updated number scheduled. */
  updatedNumberScheduled?: number | undefined;
  /** Number available. */
  numberAvailable?: number | undefined;
  /** Number unavailable. */
  numberUnavailable?: number | undefined;
  /** Collision count. */
  collisionCount?: number | undefined;
  /** Conditions. */
  conditions?: DaemonSetCondition[] | undefined;
}

/** Daemon set update strategy. */
export interface DaemonSetUpdateStrategy {
  /** Type. */
  type?: string | undefined;
  /** Rolling update. */
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
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

/** FS group strategy options. */
export interface FSGroupStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
}

/** HTTP ingress path. */
export interface HTTPIngressPath {
  /** Path. */
  path?: string | undefined;
  /** Backend. */
  backend?: IngressBackend | undefined;
  /** Path type. */
  pathType?: string | undefined;
}

/** HTTP ingress rule value. */
export interface HTTPIngressRuleValue {
  /** Paths. */
  paths?: HTTPIngressPath[] | null | undefined;
}

/** Host port range. */
export interface HostPortRange {
  /** Min. */
  min?: number | undefined;
  /** Max. */
  max?: number | undefined;
}

/** ID range. */
export interface IDRange {
  /** Min. */
  min?: number | undefined;
  /** Max. */
  max?: number | undefined;
}

/** IP block. */
export interface IPBlock {
  /** Cidr. */
  cidr?: string | undefined;
  /** Except. */
  except?: string[] | undefined;
}

/** Ingress. */
export interface Ingress {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: IngressSpec | undefined;
  /** Status. */
  status?: IngressStatus | undefined;
}

/** Ingress backend. */
export interface IngressBackend {
  /** Service name. */
  serviceName?: string | undefined;
  /** Service port. */
  servicePort?: number | string | undefined;
  /** Resource. */
  resource?: TypedLocalObjectReference | undefined;
}

/** Ingress list. */
export interface IngressList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Ingress[] | null | undefined;
}

/** Ingress rule. */
export interface IngressRule {
  /** Host. */
  host?: string | undefined;
  /** Http. */
  http?: HTTPIngressRuleValue | undefined;
}

/** Ingress rule value. */
export interface IngressRuleValue {
  /** Http. */
  http?: HTTPIngressRuleValue | undefined;
}

/** Ingress spec. */
export interface IngressSpec {
  /** Backend. */
  backend?: IngressBackend | undefined;
  /** Tls. */
  tls?: IngressTLS[] | undefined;
  /** Rules. */
  rules?: IngressRule[] | undefined;
  /** Ingress class name. */
  ingressClassName?: string | undefined;
}

/** Ingress status. */
export interface IngressStatus {
  /** Load balancer. */
  loadBalancer?: LoadBalancerStatus | undefined;
}

/** Ingress TLS. */
export interface IngressTLS {
  /** Hosts. */
  hosts?: string[] | undefined;
  /** Secret name. */
  secretName?: string | undefined;
}

/** Network policy. */
export interface NetworkPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: NetworkPolicySpec | undefined;
}

/** Network policy egress rule. */
export interface NetworkPolicyEgressRule {
  /** Ports. */
  ports?: NetworkPolicyPort[] | undefined;
  /** To. */
  to?: NetworkPolicyPeer[] | undefined;
}

/** Network policy ingress rule. */
export interface NetworkPolicyIngressRule {
  /** Ports. */
  ports?: NetworkPolicyPort[] | undefined;
  /** From. */
  from?: NetworkPolicyPeer[] | undefined;
}

/** Network policy list. */
export interface NetworkPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: NetworkPolicy[] | null | undefined;
}

/** Network policy peer. */
export interface NetworkPolicyPeer {
  /** Pod selector. */
  podSelector?: LabelSelector | undefined;
  /** Namespace selector. */
  namespaceSelector?: LabelSelector | undefined;
  /** Ip block. */
  ipBlock?: IPBlock | undefined;
}

/** Network policy port. */
export interface NetworkPolicyPort {
  /** Protocol. */
  protocol?: string | undefined;
  /** Port. */
  port?: number | string | undefined;
  /** End port. */
  endPort?: number | undefined;
}

/** Network policy spec. */
export interface NetworkPolicySpec {
  /** Pod selector. */
  podSelector?: LabelSelector | undefined;
  /** Ingress. */
  ingress?: NetworkPolicyIngressRule[] | undefined;
  /** Egress. */
  egress?: NetworkPolicyEgressRule[] | undefined;
  /** Policy types. */
  policyTypes?: string[] | undefined;
}

/** Pod security policy. */
export interface PodSecurityPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PodSecurityPolicySpec | undefined;
}

/** Pod security policy list. */
export interface PodSecurityPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PodSecurityPolicy[] | null | undefined;
}

/** Pod security policy spec. */
export interface PodSecurityPolicySpec {
  /** Privileged. */
  privileged?: boolean | undefined;
  /** Default add capabilities. */
  defaultAddCapabilities?: string[] | undefined;
  /** Required drop capabilities. */
  requiredDropCapabilities?: string[] | undefined;
  /** Allowed capabilities. */
  allowedCapabilities?: string[] | undefined;
  /** Volumes. */
  volumes?: string[] | undefined;
  /** Host network. */
  hostNetwork?: boolean | undefined;
  /** Host ports. */
  hostPorts?: HostPortRange[] | undefined;
  /** Host PID. */
  hostPID?: boolean | undefined;
  /** Host IPC. */
  hostIPC?: boolean | undefined;
  /** Se linux. */
  seLinux?: SELinuxStrategyOptions | undefined;
  /** Run as user. */
  runAsUser?: RunAsUserStrategyOptions | undefined;
  /** Supplemental groups. */
  supplementalGroups?: SupplementalGroupsStrategyOptions | undefined;
  /** Fs group. */
  fsGroup?: FSGroupStrategyOptions | undefined;
  /** Read only root filesystem. */
  readOnlyRootFilesystem?: boolean | undefined;
  /** Default allow privilege escalation. */
  defaultAllowPrivilegeEscalation?: boolean | undefined;
  /** Allow privilege escalation. */
  allowPrivilegeEscalation?: boolean | undefined;
  /** Allowed host paths. */
  allowedHostPaths?: AllowedHostPath[] | undefined;
  /** Allowed flex volumes. */
  allowedFlexVolumes?: AllowedFlexVolume[] | undefined;
  /** Allowed unsafe sysctls. */
  allowedUnsafeSysctls?: string[] | undefined;
  /** Forbidden sysctls. */
  forbiddenSysctls?: string[] | undefined;
  /** Allowed proc mount types. */
  allowedProcMountTypes?: string[] | undefined;
  /** Run as group. */
  runAsGroup?: RunAsGroupStrategyOptions | undefined;
  /** Allowed CSI drivers. */
  allowedCSIDrivers?: AllowedCSIDriver[] | undefined;
  /** Runtime class. */
  runtimeClass?: RuntimeClassStrategyOptions | undefined;
}

/** Replica set. */
export interface ReplicaSet {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ReplicaSetSpec | undefined;
  /** Status. */
  status?: ReplicaSetStatus | undefined;
}

/** Replica set condition. */
export interface ReplicaSetCondition {
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

/** Replica set list. */
export interface ReplicaSetList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ReplicaSet[] | null | undefined;
}

/** Replica set spec. */
export interface ReplicaSetSpec {
  /** Replicas. */
  replicas?: number | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Min ready seconds. */
  minReadySeconds?: number | undefined;
}

/** Replica set status. */
export interface ReplicaSetStatus {
  /** Replicas. */
  replicas?: number | undefined;
  /** Fully labeled replicas. */
  fullyLabeledReplicas?: number | undefined;
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Ready replicas. */
  readyReplicas?: number | undefined;
  /** Available replicas. */
  availableReplicas?: number | undefined;
  /** Conditions. */
  conditions?: ReplicaSetCondition[] | undefined;
}

/** Rollback config. */
export interface RollbackConfig {
  /** Revision. */
  revision?: number | undefined;
}

/** Rolling update daemon set. */
export interface RollingUpdateDaemonSet {
  /** Max unavailable. */
  maxUnavailable?: number | string | undefined;
  /** Max surge. */
  maxSurge?: number | string | undefined;
}

/** Rolling update deployment. */
export interface RollingUpdateDeployment {
  /** Max unavailable. */
  maxUnavailable?: number | string | undefined;
  /** Max surge. */
  maxSurge?: number | string | undefined;
}

/** Run as group strategy options. */
export interface RunAsGroupStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
}

/** Run as user strategy options. */
export interface RunAsUserStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
}

/** Runtime class strategy options. */
export interface RuntimeClassStrategyOptions {
  /** Allowed runtime class names. */
  allowedRuntimeClassNames?: string[] | null | undefined;
  /** Default runtime class name. */
  defaultRuntimeClassName?: string | undefined;
}

/** SE linux strategy options. */
export interface SELinuxStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Se linux options. */
  seLinuxOptions?: SELinuxOptions | undefined;
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

/** Supplemental groups strategy options. */
export interface SupplementalGroupsStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
}
