/** Types of policy/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { SELinuxOptions } from '../core/v1.types.ts';
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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

/** Eviction. */
export interface Eviction {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Delete options. */
  deleteOptions?: DeleteOptions | undefined;
}

/** FS group strategy options. */
export interface FSGroupStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
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

/** Supplemental groups strategy options. */
export interface SupplementalGroupsStrategyOptions {
  /** Rule. */
  rule?: string | undefined;
  /** Ranges. */
  ranges?: IDRange[] | undefined;
}
