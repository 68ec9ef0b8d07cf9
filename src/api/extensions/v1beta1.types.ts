/** Types of extensions/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { PodTemplateSpec, SELinuxOptions, TypedLocalObjectReference } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
  selector?: LabelSelector | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** How pods are replaced when the template changes. */
  updateStrategy?: DaemonSetUpdateStrategy | undefined;
  /** Seconds that a new pod must be ready without a crash to count as available. */
  minReadySeconds?: number | undefined;
  /** Counts changes of the template. */
  templateGeneration?: number | undefined;
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

/** Asks to go back to a revision. */
export interface DeploymentRollback {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Annotations to set. */
  updatedAnnotations?: Record<string, string> | undefined;
  /** Revision to go back to; cleared when done. */
  rollbackTo?: RollbackConfig | undefined;
}

/** What is wanted of a Deployment. */
export interface DeploymentSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
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
  /** Revision to go back to; cleared when done. */
  rollbackTo?: RollbackConfig | undefined;
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

/** Which file groups are allowed. */
export interface FSGroupStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}

/** A path and where it leads. */
export interface HTTPIngressPath {
  /** Path to use. */
  path?: string | undefined;
  /** Where to send requests. */
  backend?: IngressBackend | undefined;
  /** How the path is compared: Exact, Prefix or as the controller likes. */
  pathType?: string | undefined;
}

/** Paths and where each leads. */
export interface HTTPIngressRuleValue {
  /** Paths and where each leads. */
  paths?: HTTPIngressPath[] | null | undefined;
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

/** A network, with exceptions. */
export interface IPBlock {
  /** A network, such as 10.0.0.0/8. */
  cidr?: string | undefined;
  /** Networks inside it that are left out. */
  except?: string[] | undefined;
}

/** Leads HTTP requests to services. */
export interface Ingress {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: IngressSpec | undefined;
  /** What was last observed; written by the system. */
  status?: IngressStatus | undefined;
}

/** Where requests go. */
export interface IngressBackend {
  /** Name of the Service. */
  serviceName?: string | undefined;
  /** Port of the Service. */
  servicePort?: number | string | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: TypedLocalObjectReference | undefined;
}

/** A list of Ingress objects. */
export interface IngressList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Ingress[] | null | undefined;
}

/** Where a load balancer takes traffic of an ingress. */
export interface IngressLoadBalancerIngress {
  /** Address of the load balancer. */
  ip?: string | undefined;
  /** Host name of the load balancer. */
  hostname?: string | undefined;
  /** Ports of the load balancer. */
  ports?: IngressPortStatus[] | undefined;
}

/** The load balancer of an ingress. */
export interface IngressLoadBalancerStatus {
  /** Where it takes traffic. */
  ingress?: IngressLoadBalancerIngress[] | undefined;
}

/** A port of a load balancer. */
export interface IngressPortStatus {
  /** Number of the port. */
  port?: number | undefined;
  /** TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** What went wrong with the port. */
  error?: string | undefined;
}

/** What happens to requests for one host. */
export interface IngressRule {
  /** Host name or address. */
  host?: string | undefined;
  /** HTTP rules. */
  http?: HTTPIngressRuleValue | undefined;
}

/** The rule itself. */
export interface IngressRuleValue {
  /** HTTP rules. */
  http?: HTTPIngressRuleValue | undefined;
}

/** What is wanted of an Ingress. */
export interface IngressSpec {
  /** Where to send requests. */
  backend?: IngressBackend | undefined;
  /** Certificates for hosts. */
  tls?: IngressTLS[] | undefined;
  /** Rules, each of which may match. */
  rules?: IngressRule[] | undefined;
  /** Name of the IngressClass that serves this. */
  ingressClassName?: string | undefined;
}

/** What was last observed of an Ingress. */
export interface IngressStatus {
  /** State of the load balancer. */
  loadBalancer?: IngressLoadBalancerStatus | undefined;
}

/** A certificate and the hosts that it is for. */
export interface IngressTLS {
  /** Host names. */
  hosts?: string[] | undefined;
  /** Name of a Secret in the same namespace. */
  secretName?: string | undefined;
}

/** Which traffic pods accept and send. */
export interface NetworkPolicy {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: NetworkPolicySpec | undefined;
}

/** Traffic that may go out. */
export interface NetworkPolicyEgressRule {
  /** Ports offered. */
  ports?: NetworkPolicyPort[] | undefined;
  /** Who may receive; empty means all. */
  to?: NetworkPolicyPeer[] | undefined;
}

/** Traffic that may come in. */
export interface NetworkPolicyIngressRule {
  /** Ports offered. */
  ports?: NetworkPolicyPort[] | undefined;
  /** Who may send; empty means all. */
  from?: NetworkPolicyPeer[] | undefined;
}

/** A list of NetworkPolicy objects. */
export interface NetworkPolicyList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: NetworkPolicy[] | null | undefined;
}

/** Who is on the other side. */
export interface NetworkPolicyPeer {
  /** Labels of the pods meant. */
  podSelector?: LabelSelector | undefined;
  /** Labels of the namespaces meant. */
  namespaceSelector?: LabelSelector | undefined;
  /** A network. */
  ipBlock?: IPBlock | undefined;
}

/** A port, or a range of them. */
export interface NetworkPolicyPort {
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Port number. */
  port?: number | string | undefined;
  /** Last port of a range that begins with port. */
  endPort?: number | undefined;
}

/** What is wanted of a NetworkPolicy. */
export interface NetworkPolicySpec {
  /** Labels of the pods meant. */
  podSelector?: LabelSelector | undefined;
  /** Entry points, or rules of traffic coming in. */
  ingress?: NetworkPolicyIngressRule[] | undefined;
  /** Rules of traffic going out. */
  egress?: NetworkPolicyEgressRule[] | undefined;
  /** Which directions the policy rules: Ingress, Egress. */
  policyTypes?: string[] | undefined;
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
  selector?: LabelSelector | undefined;
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

/** A revision to go back to. */
export interface RollbackConfig {
  /** Number of the revision. */
  revision?: number | undefined;
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

/** Which further groups are allowed. */
export interface SupplementalGroupsStrategyOptions {
  /** The rule. */
  rule?: string | undefined;
  /** Ranges allowed, both ends included. */
  ranges?: IDRange[] | undefined;
}
