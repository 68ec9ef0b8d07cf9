/** Types of policy/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { SELinuxOptions } from '../core/v1.types.ts';
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A CSI driver that may be used. */
export interface AllowedCSIDriver {
  /** Name, unique among its siblings. */
  name?: string | undefined;
}

/** A FlexVolume driver that may be used. */
export interface AllowedFlexVolume {
  /** Name of the driver. */
  driver?: string | undefined;
}

/** A path of the node that may be mounted. */
export interface AllowedHostPath {
  /** Beginning of the allowed paths. */
  pathPrefix?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** Removes a pod unless a budget forbids it. */
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

/** Which file groups are allowed. */
export interface FSGroupStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}

/** A range of ports. */
export interface HostPortRange {
  /** Smallest value. */
  min?: number | undefined;
  /** Largest value. */
  max?: number | undefined;
}

/** A range of ids. */
export interface IDRange {
  /** Smallest value. */
  min?: number | undefined;
  /** Largest value. */
  max?: number | undefined;
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

/** What pods may ask for. */
export interface PodSecurityPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSecurityPolicySpec | undefined;
}

/** A list of PodSecurityPolicy objects. */
export interface PodSecurityPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodSecurityPolicy[] | null | undefined;
}

/** What is wanted of a PodSecurityPolicy. */
export interface PodSecurityPolicySpec {
  /** Run with all the node's privileges. */
  privileged?: boolean | undefined;
  /** Capabilities added unless dropped. */
  defaultAddCapabilities?: string[] | undefined;
  /** Capabilities that must be dropped. */
  requiredDropCapabilities?: string[] | undefined;
  /** Capabilities that may be added. */
  allowedCapabilities?: string[] | undefined;
  /** Volumes that containers can mount. */
  volumes?: string[] | undefined;
  /** Use the node's network. */
  hostNetwork?: boolean | undefined;
  /** Ports of the node that may be used. */
  hostPorts?: HostPortRange[] | undefined;
  /** Share the node's process ids. */
  hostPID?: boolean | undefined;
  /** Share the node's IPC. */
  hostIPC?: boolean | undefined;
  /** Which SELinux contexts are allowed. */
  seLinux?: SELinuxStrategyOptions | undefined;
  /** User id of the process. */
  runAsUser?: RunAsUserStrategyOptions | undefined;
  /** More group ids of the process. */
  supplementalGroups?: SupplementalGroupsStrategyOptions | undefined;
  /** Group id that owns the files of volumes. */
  fsGroup?: FSGroupStrategyOptions | undefined;
  /** The root file system cannot be written. */
  readOnlyRootFilesystem?: boolean | undefined;
  /** Whether privileges may be gained unless said otherwise. */
  defaultAllowPrivilegeEscalation?: boolean | undefined;
  /** Whether the process may gain more privileges than its parent. */
  allowPrivilegeEscalation?: boolean | undefined;
  /** Paths of the node that may be mounted; empty: all. */
  allowedHostPaths?: AllowedHostPath[] | undefined;
  /** FlexVolume drivers that may be used; empty: all. */
  allowedFlexVolumes?: AllowedFlexVolume[] | undefined;
  /** Unsafe sysctls that may be set. */
  allowedUnsafeSysctls?: string[] | undefined;
  /** Sysctls that may not be set. */
  forbiddenSysctls?: string[] | undefined;
  /** Ways of mounting /proc that are allowed. */
  allowedProcMountTypes?: string[] | undefined;
  /** Group id of the process. */
  runAsGroup?: RunAsGroupStrategyOptions | undefined;
  /** CSI drivers that may be used inline; empty: all. */
  allowedCSIDrivers?: AllowedCSIDriver[] | undefined;
  /** Which RuntimeClasses are allowed. */
  runtimeClass?: RuntimeClassStrategyOptions | undefined;
}

/** Which groups are allowed. */
export interface RunAsGroupStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}

/** Which users are allowed. */
export interface RunAsUserStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}

/** Which RuntimeClasses are allowed. */
export interface RuntimeClassStrategyOptions {
  /** RuntimeClasses that may be named. */
  allowedRuntimeClassNames?: string[] | null | undefined;
  /** RuntimeClass for pods that name none. */
  defaultRuntimeClassName?: string | undefined;
}

/** Which SELinux contexts are allowed. */
export interface SELinuxStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** SELinux context. */
  seLinuxOptions?: SELinuxOptions | undefined;
}

/** Which further groups are allowed. */
export interface SupplementalGroupsStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}
