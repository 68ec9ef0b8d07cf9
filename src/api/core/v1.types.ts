/** Types of core/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta, OwnerReference } from '../meta/v1.types.ts';

/** An AWS EBS volume. */
export interface AWSElasticBlockStoreVolumeSource {
  /** Id of the volume at the provider. */
  volumeID?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Partition of the volume; 0 or none: the whole. */
  partition?: number | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** Preferences for where to run. */
export interface Affinity {
  /** Which nodes are fit. */
  nodeAffinity?: NodeAffinity | undefined;
  /** Place near these pods. */
  podAffinity?: PodAffinity | undefined;
  /** Place away from these pods. */
  podAntiAffinity?: PodAntiAffinity | undefined;
}

/** Which profile of AppArmor confines a process. */
export interface AppArmorProfile {
  /** Localhost, RuntimeDefault or Unconfined. */
  type?: string | undefined;
  /** Name of a profile that the node has. */
  localhostProfile?: string | undefined;
}

/** A volume attached to a node. */
export interface AttachedVolume {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Path of the device on the node. */
  devicePath?: string | undefined;
}

/** Pods that a node would rather not run. */
export interface AvoidPods {
  /** Pods that should go elsewhere. */
  preferAvoidPods?: PreferAvoidPodsEntry[] | undefined;
}

/** An Azure disk. */
export interface AzureDiskVolumeSource {
  /** Name of the disk. */
  diskName?: string | undefined;
  /** Address of the disk. */
  diskURI?: string | undefined;
  /** None, ReadOnly or ReadWrite. */
  cachingMode?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
}

/** An Azure File share. */
export interface AzureFilePersistentVolumeSource {
  /** Name of a Secret in the same namespace. */
  secretName?: string | undefined;
  /** Name of the share. */
  shareName?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Namespace of the Secret; absent: the pod's. */
  secretNamespace?: string | undefined;
}

/** An Azure File share. */
export interface AzureFileVolumeSource {
  /** Name of a Secret in the same namespace. */
  secretName?: string | undefined;
  /** Name of the share. */
  shareName?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** Puts a pod on a node. */
export interface Binding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The node that the pod is put on. */
  target?: ObjectReference | undefined;
}

/** A volume of a CSI driver. */
export interface CSIPersistentVolumeSource {
  /** Name of the driver. */
  driver?: string | undefined;
  /** Name of the volume at the driver. */
  volumeHandle?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** What the driver needs to know of the volume. */
  volumeAttributes?: Record<string, string> | undefined;
  /** Secret for attaching. */
  controllerPublishSecretRef?: SecretReference | undefined;
  /** Secret for preparing on a node. */
  nodeStageSecretRef?: SecretReference | undefined;
  /** Secret for mounting on a node. */
  nodePublishSecretRef?: SecretReference | undefined;
  /** Secret for growing the volume. */
  controllerExpandSecretRef?: SecretReference | undefined;
  /** Secret for growing the volume on a node. */
  nodeExpandSecretRef?: SecretReference | undefined;
}

/** A volume that a CSI driver makes for one pod. */
export interface CSIVolumeSource {
  /** Name of the driver. */
  driver?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** What the driver needs to know of the volume. */
  volumeAttributes?: Record<string, string> | undefined;
  /** Secret for mounting on a node. */
  nodePublishSecretRef?: LocalObjectReference | undefined;
}

/** Capabilities to add and to take away. */
export interface Capabilities {
  /** Capabilities to add. */
  add?: string[] | undefined;
  /** Capabilities to take away. */
  drop?: string[] | undefined;
}

/** A Ceph file system. */
export interface CephFSPersistentVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors?: string[] | null | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** Path of the key file. */
  secretFile?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A Ceph file system. */
export interface CephFSVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors?: string[] | null | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** Path of the key file. */
  secretFile?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** An OpenStack Cinder volume. */
export interface CinderPersistentVolumeSource {
  /** Id of the volume at the provider. */
  volumeID?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | undefined;
}

/** An OpenStack Cinder volume. */
export interface CinderVolumeSource {
  /** Id of the volume at the provider. */
  volumeID?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
}

/** Where the claim of a pod comes from; one of its fields is set. */
export interface ClaimSource {
  /** Name of a claim. */
  resourceClaimName?: string | undefined;
  /** Name of a template that a claim is made from. */
  resourceClaimTemplateName?: string | undefined;
}

/** Affinity by client address. */
export interface ClientIPConfig {
  /** Seconds to wait before giving up. */
  timeoutSeconds?: number | undefined;
}

/** Certificates of trust bundles as a file. */
export interface ClusterTrustBundleProjection {
  /** Name of one bundle. */
  name?: string | undefined;
  /** All bundles of this signer. */
  signerName?: string | undefined;
  /** Labels of the bundles of the signer. */
  labelSelector?: LabelSelector | undefined;
  /** Path of the file in the volume. */
  path?: string | undefined;
  /** The pod starts without bundles, too. */
  optional?: boolean | undefined;
}

/** One observation of a Component. */
export interface ComponentCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Error code of the check. */
  error?: string | undefined;
}

/** State of a part of the control plane. */
export interface ComponentStatus {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Latest observations, one per type. */
  conditions?: ComponentCondition[] | undefined;
}

/** A list of ComponentStatus objects. */
export interface ComponentStatusList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ComponentStatus[] | null | undefined;
}

/** Configuration data. */
export interface ConfigMap {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The values, as text, by key. */
  data?: Record<string, string> | undefined;
  /** Data that is no text, base64. */
  binaryData?: Record<string, string> | undefined;
  /** True: the data can no longer be changed. */
  immutable?: boolean | undefined;
}

/** A ConfigMap whose keys become variables. */
export interface ConfigMapEnvSource {
  /** Name of the object meant. */
  name?: string | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** A key of a ConfigMap. */
export interface ConfigMapKeySelector {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Key to use. */
  key?: string | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** A list of ConfigMap objects. */
export interface ConfigMapList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ConfigMap[] | null | undefined;
}

/** A ConfigMap with a node's configuration. */
export interface ConfigMapNodeConfigSource {
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Version of the object, for comparison with equality only. */
  resourceVersion?: string | undefined;
  /** Key that holds the node agent's configuration. */
  kubeletConfigKey?: string | undefined;
}

/** Keys of a ConfigMap as files. */
export interface ConfigMapProjection {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Keys to show and where; empty means all. */
  items?: KeyToPath[] | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** Keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Keys to show and where; empty means all. */
  items?: KeyToPath[] | undefined;
  /** Permission bits of files that do not set their own. */
  defaultMode?: number | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** A container of a pod. */
export interface Container {
  /** Name of the container, unique in the pod. */
  name?: string | undefined;
  /** Image to run. */
  image?: string | undefined;
  /** Replaces the image's entry point. */
  command?: string[] | undefined;
  /** Arguments of the entry point. */
  args?: string[] | undefined;
  /** Directory that the process starts in. */
  workingDir?: string | undefined;
  /** Ports that the container listens on; for information. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resources that are set aside and the most that may be used. */
  resources?: ResourceRequirements | undefined;
  /** Where volumes appear in the container. */
  volumeMounts?: VolumeMount[] | undefined;
  /** The container is restarted when this fails. */
  livenessProbe?: Probe | undefined;
  /** The container gets no traffic while this fails. */
  readinessProbe?: Probe | undefined;
  /** Hooks after start and before stop. */
  lifecycle?: Lifecycle | undefined;
  /** File whose text becomes the last message. */
  terminationMessagePath?: string | undefined;
  /** When to pull: Always, IfNotPresent or Never. */
  imagePullPolicy?: string | undefined;
  /** Privileges and identity of the process. */
  securityContext?: SecurityContext | undefined;
  /** Keep standard input open. */
  stdin?: boolean | undefined;
  /** Close standard input after the first attachment. */
  stdinOnce?: boolean | undefined;
  /** Give the process a terminal. */
  tty?: boolean | undefined;
  /** Takes all keys of these as environment variables. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or also the end of the log after a failure. */
  terminationMessagePolicy?: string | undefined;
  /** Where block devices appear in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes wait until this succeeds. */
  startupProbe?: Probe | undefined;
  /** What a change of resources does to the container. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Always makes an init container run beside the others; else when this container is restarted. */
  restartPolicy?: string | undefined;
  /** Exceptions from the restart policy; the first that fits counts. */
  restartPolicyRules?: ContainerRestartRule[] | undefined;
}

/** Which request of a claim stands for a resource of a container. */
export interface ContainerExtendedResourceRequest {
  /** Name of the container. */
  containerName?: string | undefined;
  /** Name of the extended resource. */
  resourceName?: string | undefined;
  /** Name of the request in the claim. */
  requestName?: string | undefined;
}

/** An image on a node. */
export interface ContainerImage {
  /** Names of the resource. */
  names?: string[] | null | undefined;
  /** Size in bytes. */
  sizeBytes?: number | undefined;
}

/** A port of a container. */
export interface ContainerPort {
  /** Name of the port, which services can refer to. */
  name?: string | undefined;
  /** Port of the node. */
  hostPort?: number | undefined;
  /** Port of the container. */
  containerPort?: number | undefined;
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Address of the node. */
  hostIP?: string | undefined;
}

/** What a change of a resource does to a container. */
export interface ContainerResizePolicy {
  /** Name of the resource: cpu or memory. */
  resourceName?: string | undefined;
  /** NotRequired or RestartContainer. */
  restartPolicy?: string | undefined;
}

/** When a container that ended is started again. */
export interface ContainerRestartRule {
  /** What is done: Restart or RestartAllContainers. */
  action?: string | undefined;
  /** Fits by the exit code. */
  exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
}

/** Exit codes that a rule fits. */
export interface ContainerRestartRuleOnExitCodes {
  /** In or NotIn. */
  operator?: string | undefined;
  /** The exit codes. */
  values?: number[] | undefined;
}

/** State of a container; exactly one is set. */
export interface ContainerState {
  /** It is not running yet. */
  waiting?: ContainerStateWaiting | undefined;
  /** It is running. */
  running?: ContainerStateRunning | undefined;
  /** It has ended. */
  terminated?: ContainerStateTerminated | undefined;
}

/** A container that runs. */
export interface ContainerStateRunning {
  /** When it started. */
  startedAt?: string | null | undefined;
}

/** A container that has ended. */
export interface ContainerStateTerminated {
  /** Exit code of the process. */
  exitCode?: number | undefined;
  /** Signal that ended the process. */
  signal?: number | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** When it started. */
  startedAt?: string | null | undefined;
  /** When it ended. */
  finishedAt?: string | null | undefined;
  /** Id at the container runtime. */
  containerID?: string | undefined;
}

/** A container that is not running yet. */
export interface ContainerStateWaiting {
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** State of a container. */
export interface ContainerStatus {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** State now. */
  state?: ContainerState | undefined;
  /** State before the last restart. */
  lastState?: ContainerState | undefined;
  /** Whether it is ready. */
  ready?: boolean | undefined;
  /** How often it was restarted. */
  restartCount?: number | undefined;
  /** Image to run or use. */
  image?: string | undefined;
  /** Id of the image. */
  imageID?: string | undefined;
  /** Id at the container runtime. */
  containerID?: string | undefined;
  /** Whether it has started. */
  started?: boolean | undefined;
  /** Resources that the node has set aside. */
  allocatedResources?: Record<string, string> | undefined;
  /** Resources as they are in force. */
  resources?: ResourceRequirements | undefined;
  /** How volumes are mounted. */
  volumeMounts?: VolumeMountStatus[] | undefined;
  /** Identity of the first process. */
  user?: ContainerUser | undefined;
  /** How the devices of the container are. */
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
  /** Signal that stops the container. */
  stopSignal?: string | undefined;
}

/** Identity of the first process of a container. */
export interface ContainerUser {
  /** The identity on Linux. */
  linux?: LinuxContainerUser | undefined;
}

/** Port of a daemon. */
export interface DaemonEndpoint {
  /** Port number. */
  Port?: number | undefined;
}

/** Fields of the pod as files. */
export interface DownwardAPIProjection {
  /** The entries. */
  items?: DownwardAPIVolumeFile[] | undefined;
}

/** A field of the pod as a file. */
export interface DownwardAPIVolumeFile {
  /** Path to use. */
  path?: string | undefined;
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource amount of a container. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** Permission bits of the file. */
  mode?: number | undefined;
}

/** Fields of the pod as files. */
export interface DownwardAPIVolumeSource {
  /** The entries. */
  items?: DownwardAPIVolumeFile[] | undefined;
  /** Permission bits of files that do not set their own. */
  defaultMode?: number | undefined;
}

/** An empty directory that lives as long as the pod. */
export interface EmptyDirVolumeSource {
  /** Where it lives: disk or Memory. */
  medium?: string | undefined;
  /** Most that it may hold. */
  sizeLimit?: string | undefined;
}

/** An address behind a service. */
export interface EndpointAddress {
  /** IP address. */
  ip?: string | undefined;
  /** The object behind it. */
  targetRef?: ObjectReference | undefined;
  /** Host name. */
  hostname?: string | undefined;
  /** Node meant. */
  nodeName?: string | undefined;
}

/** A port behind a service. */
export interface EndpointPort {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Port number. */
  port?: number | undefined;
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Protocol spoken above the port's own. */
  appProtocol?: string | undefined;
}

/** Addresses and the ports that all of them have. */
export interface EndpointSubset {
  /** Addresses. */
  addresses?: EndpointAddress[] | undefined;
  /** Addresses that are not ready. */
  notReadyAddresses?: EndpointAddress[] | undefined;
  /** Ports offered. */
  ports?: EndpointPort[] | undefined;
}

/** The addresses behind a service. */
export interface Endpoints {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Addresses and ports that belong together. */
  subsets?: EndpointSubset[] | undefined;
}

/** A list of Endpoints objects. */
export interface EndpointsList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Endpoints[] | null | undefined;
}

/** Where a set of variables is taken from. */
export interface EnvFromSource {
  /** Put before each name. */
  prefix?: string | undefined;
  /** A ConfigMap. */
  configMapRef?: ConfigMapEnvSource | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretEnvSource | undefined;
}

/** An environment variable. */
export interface EnvVar {
  /** Name of the variable. */
  name?: string | undefined;
  /** Value, in which $(NAME) is replaced. */
  value?: string | undefined;
  /** Where the value is taken from. */
  valueFrom?: EnvVarSource | undefined;
}

/** Where a variable's value is taken from. */
export interface EnvVarSource {
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** A resource amount of a container. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** A key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  /** A key of a Secret. */
  secretKeyRef?: SecretKeySelector | undefined;
  /** A key in a file of a volume. */
  fileKeyRef?: FileKeySelector | undefined;
}

/** A container added to a running pod to look into it. */
export interface EphemeralContainer {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Image to run or use. */
  image?: string | undefined;
  /** Command and arguments, run without a shell. */
  command?: string[] | undefined;
  /** Arguments of the entry point. */
  args?: string[] | undefined;
  /** Directory that the process starts in. */
  workingDir?: string | undefined;
  /** Ports offered. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resources meant. */
  resources?: ResourceRequirements | undefined;
  /** Where volumes appear in the container. */
  volumeMounts?: VolumeMount[] | undefined;
  /** The container is restarted when this fails. */
  livenessProbe?: Probe | undefined;
  /** The container gets no traffic while this fails. */
  readinessProbe?: Probe | undefined;
  /** Hooks after start and before stop. */
  lifecycle?: Lifecycle | undefined;
  /** File whose text becomes the last message. */
  terminationMessagePath?: string | undefined;
  /** When to pull: Always, IfNotPresent or Never. */
  imagePullPolicy?: string | undefined;
  /** Privileges and identity of the process. */
  securityContext?: SecurityContext | undefined;
  /** Keep standard input open. */
  stdin?: boolean | undefined;
  /** Close standard input after the first attachment. */
  stdinOnce?: boolean | undefined;
  /** Give the process a terminal. */
  tty?: boolean | undefined;
  /** Takes all keys of these as environment variables. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or also the end of the log after a failure. */
  terminationMessagePolicy?: string | undefined;
  /** Where block devices appear in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes wait until this succeeds. */
  startupProbe?: Probe | undefined;
  /** Not for ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Not for ephemeral containers. */
  restartPolicy?: string | undefined;
  /** Not for ephemeral containers. */
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  /** Container whose processes it sees. */
  targetContainerName?: string | undefined;
}

/** What an ephemeral container shares with other containers. */
export interface EphemeralContainerCommon {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Image to run or use. */
  image?: string | undefined;
  /** Command and arguments, run without a shell. */
  command?: string[] | undefined;
  /** Arguments of the entry point. */
  args?: string[] | undefined;
  /** Directory that the process starts in. */
  workingDir?: string | undefined;
  /** Ports offered. */
  ports?: ContainerPort[] | undefined;
  /** Environment variables. */
  env?: EnvVar[] | undefined;
  /** Resources meant. */
  resources?: ResourceRequirements | undefined;
  /** Where volumes appear in the container. */
  volumeMounts?: VolumeMount[] | undefined;
  /** The container is restarted when this fails. */
  livenessProbe?: Probe | undefined;
  /** The container gets no traffic while this fails. */
  readinessProbe?: Probe | undefined;
  /** Hooks after start and before stop. */
  lifecycle?: Lifecycle | undefined;
  /** File whose text becomes the last message. */
  terminationMessagePath?: string | undefined;
  /** When to pull: Always, IfNotPresent or Never. */
  imagePullPolicy?: string | undefined;
  /** Privileges and identity of the process. */
  securityContext?: SecurityContext | undefined;
  /** Keep standard input open. */
  stdin?: boolean | undefined;
  /** Close standard input after the first attachment. */
  stdinOnce?: boolean | undefined;
  /** Give the process a terminal. */
  tty?: boolean | undefined;
  /** Takes all keys of these as environment variables. */
  envFrom?: EnvFromSource[] | undefined;
  /** File, or also the end of the log after a failure. */
  terminationMessagePolicy?: string | undefined;
  /** Where block devices appear in the container. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** The other probes wait until this succeeds. */
  startupProbe?: Probe | undefined;
  /** Not for ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[] | undefined;
  /** Not for ephemeral containers. */
  restartPolicy?: string | undefined;
  /** Not for ephemeral containers. */
  restartPolicyRules?: ContainerRestartRule[] | undefined;
}

/** The ephemeral containers of a pod. */
export interface EphemeralContainers {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Containers added to a running pod to look into it. */
  ephemeralContainers?: EphemeralContainer[] | null | undefined;
}

/** A claim that is made and deleted with the pod. */
export interface EphemeralVolumeSource {
  /** The claim to make. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}

/** Something that happened to an object. */
export interface Event {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What the event is about. */
  involvedObject?: ObjectReference | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Where it comes from. */
  source?: EventSource | undefined;
  /** When it was first seen. */
  firstTimestamp?: string | null | undefined;
  /** When it was last seen. */
  lastTimestamp?: string | null | undefined;
  /** How often. */
  count?: number | undefined;
  /** Normal or Warning. */
  type?: string | undefined;
  /** When it was first seen. */
  eventTime?: string | null | undefined;
  /** How often it was seen since; none when once. */
  series?: EventSeries | undefined;
  /** What was done. */
  action?: string | undefined;
  /** Another object that has to do with it. */
  related?: ObjectReference | undefined;
  /** Which controller reported it. */
  reportingComponent?: string | undefined;
  /** Which instance of the controller reported it. */
  reportingInstance?: string | undefined;
}

/** A list of Event objects. */
export interface EventList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Event[] | null | undefined;
}

/** How often something happened since the first time. */
export interface EventSeries {
  /** How often. */
  count?: number | undefined;
  /** When it was last seen. */
  lastObservedTime?: string | null | undefined;
}

/** Who reported an event. */
export interface EventSource {
  /** Name of the component. */
  component?: string | undefined;
  /** Host name or address. */
  host?: string | undefined;
}

/** A command to run in the container. */
export interface ExecAction {
  /** Command and arguments, run without a shell. */
  command?: string[] | undefined;
}

/** A Fibre Channel disk. */
export interface FCVolumeSource {
  /** World wide names of the targets. */
  targetWWNs?: string[] | undefined;
  /** Logical unit number. */
  lun?: number | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** World wide ids of the disk. */
  wwids?: string[] | undefined;
}

/** A key in a file of a volume. */
export interface FileKeySelector {
  /** Name of the volume. */
  volumeName?: string | undefined;
  /** Path of the file in the volume. */
  path?: string | undefined;
  /** Key in the file. */
  key?: string | undefined;
  /** The pod starts without file or key, too. */
  optional?: boolean | undefined;
}

/** A volume of a FlexVolume plugin. */
export interface FlexPersistentVolumeSource {
  /** Name of the driver. */
  driver?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Options of the operation. */
  options?: Record<string, string> | undefined;
}

/** A volume of a FlexVolume plugin. */
export interface FlexVolumeSource {
  /** Name of the driver. */
  driver?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Options of the operation. */
  options?: Record<string, string> | undefined;
}

/** A Flocker dataset. */
export interface FlockerVolumeSource {
  /** Name of the dataset. */
  datasetName?: string | undefined;
  /** Id of the dataset. */
  datasetUUID?: string | undefined;
}

/** A GCE disk. */
export interface GCEPersistentDiskVolumeSource {
  /** Name of the disk at the provider. */
  pdName?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Partition of the volume; 0 or none: the whole. */
  partition?: number | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A git checkout; no longer recommended. */
export interface GitRepoVolumeSource {
  /** Address of the repository. */
  repository?: string | undefined;
  /** Number of the revision. */
  revision?: string | undefined;
  /** Directory to check out into. */
  directory?: string | undefined;
}

/** A Gluster volume. */
export interface GlusterfsPersistentVolumeSource {
  /** The endpoints. */
  endpoints?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Namespace of the endpoints; absent: the claim's. */
  endpointsNamespace?: string | undefined;
}

/** A Gluster volume. */
export interface GlusterfsVolumeSource {
  /** The endpoints. */
  endpoints?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A health check by gRPC. */
export interface GRPCAction {
  /** Port of the check. */
  port?: number | undefined;
  /** Service that the check asks about. */
  service?: string | undefined;
}

/** An HTTP request to the container. */
export interface HTTPGetAction {
  /** Path to use. */
  path?: string | undefined;
  /** Port number. */
  port?: number | string | undefined;
  /** Host name or address. */
  host?: string | undefined;
  /** HTTP or HTTPS. */
  scheme?: string | undefined;
  /** Headers to send. */
  httpHeaders?: HTTPHeader[] | undefined;
}

/** A header of an HTTP request. */
export interface HTTPHeader {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** The value. */
  value?: string | undefined;
}

/** What a check or hook does; exactly one is set. */
export interface Handler {
  /** Run a command; exit code 0 is success. */
  exec?: ExecAction | undefined;
  /** Ask by HTTP; 200 to 399 is success. */
  httpGet?: HTTPGetAction | undefined;
  /** Open a connection. */
  tcpSocket?: TCPSocketAction | undefined;
}

/** An entry for the hosts file. */
export interface HostAlias {
  /** IP address. */
  ip?: string | undefined;
  /** Names for the address. */
  hostnames?: string[] | undefined;
}

/** An address of a node. */
export interface HostIP {
  /** The address. */
  ip?: string | undefined;
}

/** A file or directory of the node. */
export interface HostPathVolumeSource {
  /** Path to use. */
  path?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
}

/** A volume with the files of an image. */
export interface ImageVolumeSource {
  /** Name of the image or artifact. */
  reference?: string | undefined;
  /** When to pull: Always, IfNotPresent or Never. */
  pullPolicy?: string | undefined;
}

/** What is known of a volume from an image. */
export interface ImageVolumeStatus {
  /** The image with its digest. */
  imageRef?: string | undefined;
}

/** An iSCSI disk. */
export interface ISCSIPersistentVolumeSource {
  /** Address of the target. */
  targetPortal?: string | undefined;
  /** Qualified name of the target. */
  iqn?: string | undefined;
  /** Logical unit number. */
  lun?: number | undefined;
  /** Interface to use. */
  iscsiInterface?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** More addresses of the target. */
  portals?: string[] | undefined;
  /** Use CHAP for discovery. */
  chapAuthDiscovery?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | undefined;
  /** Use CHAP for the session. */
  chapAuthSession?: boolean | undefined;
  /** Qualified name of the initiator. */
  initiatorName?: string | undefined;
}

/** An iSCSI disk. */
export interface ISCSIVolumeSource {
  /** Address of the target. */
  targetPortal?: string | undefined;
  /** Qualified name of the target. */
  iqn?: string | undefined;
  /** Logical unit number. */
  lun?: number | undefined;
  /** Interface to use. */
  iscsiInterface?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** More addresses of the target. */
  portals?: string[] | undefined;
  /** Use CHAP for discovery. */
  chapAuthDiscovery?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
  /** Use CHAP for the session. */
  chapAuthSession?: boolean | undefined;
  /** Qualified name of the initiator. */
  initiatorName?: string | undefined;
}

/** Puts a key into a file. */
export interface KeyToPath {
  /** Key to use. */
  key?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Permission bits of the file. */
  mode?: number | undefined;
}

/** Hooks in a container's life. */
export interface Lifecycle {
  /** Right after the start. */
  postStart?: LifecycleHandler | undefined;
  /** Before the stop. */
  preStop?: LifecycleHandler | undefined;
  /** Signal that stops the container. */
  stopSignal?: string | undefined;
}

/** What is done at a moment of a container's life. */
export interface LifecycleHandler {
  /** Runs a command in the container. */
  exec?: ExecAction | undefined;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction | undefined;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Waits. */
  sleep?: SleepAction | undefined;
}

/** Limits and defaults for single objects of a namespace. */
export interface LimitRange {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: LimitRangeSpec | undefined;
}

/** Limits for one kind of object. */
export interface LimitRangeItem {
  /** Pod, Container or PersistentVolumeClaim. */
  type?: string | undefined;
  /** Largest value. */
  max?: Record<string, string> | undefined;
  /** Smallest value. */
  min?: Record<string, string> | undefined;
  /** Value when none is given. */
  default?: Record<string, string> | undefined;
  /** Request when none is given. */
  defaultRequest?: Record<string, string> | undefined;
  /** Most that a limit may be above its request. */
  maxLimitRequestRatio?: Record<string, string> | undefined;
}

/** A list of LimitRange objects. */
export interface LimitRangeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: LimitRange[] | null | undefined;
}

/** What is wanted of a LimitRange. */
export interface LimitRangeSpec {
  /** Most that may be used, by resource. */
  limits?: LimitRangeItem[] | null | undefined;
}

/** Identity of a process on Linux. */
export interface LinuxContainerUser {
  /** User id. */
  uid?: number | undefined;
  /** Group id. */
  gid?: number | undefined;
  /** Further group ids. */
  supplementalGroups?: number[] | undefined;
}

/** A list of objects of any kind. */
export interface List {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: JsonValue[] | null | undefined;
}

/** An entry point of a load balancer. */
export interface LoadBalancerIngress {
  /** IP address. */
  ip?: string | undefined;
  /** Host name. */
  hostname?: string | undefined;
  /** How traffic to the address arrives: VIP or Proxy. */
  ipMode?: string | undefined;
  /** Ports offered. */
  ports?: PortStatus[] | undefined;
}

/** Entry points of a load balancer. */
export interface LoadBalancerStatus {
  /** Entry points, or rules of traffic coming in. */
  ingress?: LoadBalancerIngress[] | undefined;
}

/** Names an object in the same namespace. */
export interface LocalObjectReference {
  /** Name of the object meant. */
  name?: string | undefined;
}

/** A disk or directory of one node. */
export interface LocalVolumeSource {
  /** Path to use. */
  path?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
}

/** How a change of the class of a volume goes. */
export interface ModifyVolumeStatus {
  /** The class that is wanted. */
  targetVolumeAttributesClassName?: string | undefined;
  /** Pending, InProgress or Infeasible. */
  status?: string | undefined;
}

/** A directory of an NFS server. */
export interface NFSVolumeSource {
  /** Address of the server. */
  server?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A space for names. */
export interface Namespace {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: NamespaceSpec | undefined;
  /** What was last observed; written by the system. */
  status?: NamespaceStatus | undefined;
}

/** One observation of a Namespace. */
export interface NamespaceCondition {
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

/** A list of Namespace objects. */
export interface NamespaceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Namespace[] | null | undefined;
}

/** What is wanted of a Namespace. */
export interface NamespaceSpec {
  /** Must be empty before the namespace is removed. */
  finalizers?: string[] | undefined;
}

/** What was last observed of a Namespace. */
export interface NamespaceStatus {
  /** Active or Terminating. */
  phase?: string | undefined;
  /** Latest observations, one per type. */
  conditions?: NamespaceCondition[] | undefined;
}

/** A machine that runs pods. */
export interface Node {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: NodeSpec | undefined;
  /** What was last observed; written by the system. */
  status?: NodeStatus | undefined;
}

/** An address of a node. */
export interface NodeAddress {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** The address. */
  address?: string | undefined;
}

/** Which nodes are fit, and which are preferred. */
export interface NodeAffinity {
  /** Must hold when the pod is placed; later changes are ignored. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  /** Placement that meets most of these by weight is chosen. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
}

/** Resources of the node that a claim takes. */
export interface NodeAllocatableResourceClaimStatus {
  /** Name of the claim. */
  resourceClaimName?: string | undefined;
  /** Containers that use the claim. */
  containers?: string[] | undefined;
  /** How much of each resource. */
  resources?: Record<string, string> | null | undefined;
}

/** One observation of a Node. */
export interface NodeCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the node last reported it. */
  lastHeartbeatTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** Where a node's configuration comes from. */
export interface NodeConfigSource {
  /** A ConfigMap, each key a file. */
  configMap?: ConfigMapNodeConfigSource | undefined;
}

/** Which configuration a node uses. */
export interface NodeConfigStatus {
  /** The configuration that the node shall use. */
  assigned?: NodeConfigSource | undefined;
  /** What runs now. */
  active?: NodeConfigSource | undefined;
  /** The last configuration that worked. */
  lastKnownGood?: NodeConfigSource | undefined;
  /** What went wrong. */
  error?: string | undefined;
}

/** Ports of the node's daemons. */
export interface NodeDaemonEndpoints {
  /** Port of the node agent. */
  kubeletEndpoint?: DaemonEndpoint | undefined;
}

/** What the runtime of a node can do. */
export interface NodeFeatures {
  /** The policies of supplemental groups are obeyed. */
  supplementalGroupsPolicy?: boolean | undefined;
}

/** A list of Node objects. */
export interface NodeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Node[] | null | undefined;
}

/** Path to reach on a node. */
export interface NodeProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
}

/** Resources of a node. */
export interface NodeResources {
  /** Capacity, by resource. */
  Capacity?: Record<string, string> | null | undefined;
}

/** A runtime handler of a node. */
export interface NodeRuntimeHandler {
  /** Name of the handler; empty: the default one. */
  name?: string | undefined;
  /** What the handler can do. */
  features?: NodeRuntimeHandlerFeatures | undefined;
}

/** What a runtime handler can do. */
export interface NodeRuntimeHandlerFeatures {
  /** Read-only mounts can hold for all below them. */
  recursiveReadOnlyMounts?: boolean | undefined;
  /** Pods can have users of their own. */
  userNamespaces?: boolean | undefined;
}

/** Chooses nodes; one of its terms must hold. */
export interface NodeSelector {
  /** Terms, at least one of which must hold. */
  nodeSelectorTerms?: NodeSelectorTerm[] | null | undefined;
}

/** A condition on a node. */
export interface NodeSelectorRequirement {
  /** Key to use. */
  key?: string | undefined;
  /** How key and values are compared. */
  operator?: string | undefined;
  /** Values to compare with. */
  values?: string[] | undefined;
}

/** Conditions on a node, all of which must hold. */
export interface NodeSelectorTerm {
  /** Requirements, all of which must hold. */
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  /** Requirements on fields of the node, all of which must hold. */
  matchFields?: NodeSelectorRequirement[] | undefined;
}

/** What is wanted of a Node. */
export interface NodeSpec {
  /** Network of the node's pods. */
  podCIDR?: string | undefined;
  /** No longer used. */
  externalID?: string | undefined;
  /** Id at the cloud provider. */
  providerID?: string | undefined;
  /** True: place no new pods. */
  unschedulable?: boolean | undefined;
  /** Keep pods away that do not tolerate them. */
  taints?: Taint[] | undefined;
  /** No longer used. */
  configSource?: NodeConfigSource | undefined;
  /** Networks of the node's pods, at most one per family. */
  podCIDRs?: string[] | undefined;
}

/** What was last observed of a Node. */
export interface NodeStatus {
  /** How much there is. */
  capacity?: Record<string, string> | undefined;
  /** How much of it pods may use. */
  allocatable?: Record<string, string> | undefined;
  /** No longer used. */
  phase?: string | undefined;
  /** Latest observations, one per type. */
  conditions?: NodeCondition[] | undefined;
  /** Addresses. */
  addresses?: NodeAddress[] | undefined;
  /** Ports of the node's daemons. */
  daemonEndpoints?: NodeDaemonEndpoints | undefined;
  /** Software of the node. */
  nodeInfo?: NodeSystemInfo | undefined;
  /** Images on the node. */
  images?: ContainerImage[] | undefined;
  /** Volumes in use on the node. */
  volumesInUse?: string[] | undefined;
  /** Volumes attached to the node. */
  volumesAttached?: AttachedVolume[] | undefined;
  /** The configuration. */
  config?: NodeConfigStatus | undefined;
  /** Runtime handlers of the node. */
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  /** What the runtime can do. */
  features?: NodeFeatures | undefined;
  /** Features that the node says it has. */
  declaredFeatures?: string[] | undefined;
}

/** Swap space of a node. */
export interface NodeSwapStatus {
  /** Size in bytes. */
  capacity?: number | undefined;
}

/** Software and identity of a node. */
export interface NodeSystemInfo {
  /** Id of the machine. */
  machineID?: string | undefined;
  /** Id of the system board. */
  systemUUID?: string | undefined;
  /** Id of the last boot. */
  bootID?: string | undefined;
  /** Version of the kernel. */
  kernelVersion?: string | undefined;
  /** Name of the operating system's image. */
  osImage?: string | undefined;
  /** Version of the container runtime. */
  containerRuntimeVersion?: string | undefined;
  /** Version of the node agent. */
  kubeletVersion?: string | undefined;
  /** Version of the service proxy. */
  kubeProxyVersion?: string | undefined;
  /** Operating system. */
  operatingSystem?: string | undefined;
  /** Processor architecture. */
  architecture?: string | undefined;
  /** Swap space. */
  swap?: NodeSwapStatus | undefined;
}

/** Names a field of an object. */
export interface ObjectFieldSelector {
  /** Group and version of the object meant. */
  apiVersion?: string | undefined;
  /** Which field. */
  fieldPath?: string | undefined;
}

/** Names an object. */
export interface ObjectReference {
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
  /** Unique id of the object meant. */
  uid?: string | undefined;
  /** Group and version of the object meant. */
  apiVersion?: string | undefined;
  /** Version of the object, for comparison with equality only. */
  resourceVersion?: string | undefined;
  /** Which field. */
  fieldPath?: string | undefined;
}

/** A piece of storage in the cluster. */
export interface PersistentVolume {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PersistentVolumeSpec | undefined;
  /** What was last observed; written by the system. */
  status?: PersistentVolumeStatus | undefined;
}

/** A request for storage. */
export interface PersistentVolumeClaim {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PersistentVolumeClaimSpec | undefined;
  /** What was last observed; written by the system. */
  status?: PersistentVolumeClaimStatus | undefined;
}

/** One observation of a PersistentVolumeClaim. */
export interface PersistentVolumeClaimCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the condition was last checked. */
  lastProbeTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of PersistentVolumeClaim objects. */
export interface PersistentVolumeClaimList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PersistentVolumeClaim[] | null | undefined;
}

/** What is wanted of a PersistentVolumeClaim. */
export interface PersistentVolumeClaimSpec {
  /** How many nodes may mount it, and how. */
  accessModes?: string[] | undefined;
  /** How much is asked for. */
  resources?: VolumeResourceRequirements | undefined;
  /** The volume that it is bound to. */
  volumeName?: string | undefined;
  /** Labels of the volumes that are fit. */
  selector?: LabelSelector | undefined;
  /** Name of the StorageClass; empty asks for none. */
  storageClassName?: string | undefined;
  /** Filesystem or Block. */
  volumeMode?: string | undefined;
  /** Fill the volume from this. */
  dataSource?: TypedLocalObjectReference | undefined;
  /** What the volume is filled from: an object of any kind. */
  dataSourceRef?: TypedObjectReference | undefined;
  /** Class of attributes that the volume should have. */
  volumeAttributesClassName?: string | undefined;
}

/** What was last observed of a PersistentVolumeClaim. */
export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  phase?: string | undefined;
  /** How many nodes may mount it, and how. */
  accessModes?: string[] | undefined;
  /** How much there is. */
  capacity?: Record<string, string> | undefined;
  /** Latest observations, one per type. */
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  /** Storage that is set aside, which may be more than there is yet. */
  allocatedResources?: Record<string, string> | undefined;
  /** How growing goes. */
  resizeStatus?: string | undefined;
  /** How growing goes, by resource. */
  allocatedResourceStatuses?: Record<string, string> | undefined;
  /** Class of attributes that the volume has. */
  currentVolumeAttributesClassName?: string | undefined;
  /** How a change of the class goes. */
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
}

/** The claim that is made for a pod. */
export interface PersistentVolumeClaimTemplate {
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PersistentVolumeClaimSpec | undefined;
}

/** A claim in the same namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  claimName?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A list of PersistentVolume objects. */
export interface PersistentVolumeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PersistentVolume[] | null | undefined;
}

/** Where a persistent volume comes from; exactly one is set. */
export interface PersistentVolumeSource {
  /** A GCE disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** An AWS EBS volume. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** A Gluster volume. */
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  /** A Ceph block device. */
  rbd?: RBDPersistentVolumeSource | undefined;
  /** An iSCSI disk. */
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  /** An OpenStack Cinder volume. */
  cinder?: CinderPersistentVolumeSource | undefined;
  /** A Ceph file system. */
  cephfs?: CephFSPersistentVolumeSource | undefined;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource | undefined;
  /** A Flocker dataset. */
  flocker?: FlockerVolumeSource | undefined;
  /** A volume of a FlexVolume plugin. */
  flexVolume?: FlexPersistentVolumeSource | undefined;
  /** An Azure File share. */
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  /** A vSphere disk. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** An Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A Photon disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** A Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume. */
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  /** A disk or directory of one node. */
  local?: LocalVolumeSource | undefined;
  /** A StorageOS volume. */
  storageos?: StorageOSPersistentVolumeSource | undefined;
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource | undefined;
}

/** What is wanted of a PersistentVolume. */
export interface PersistentVolumeSpec {
  /** How much there is. */
  capacity?: Record<string, string> | undefined;
  /** A GCE disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** An AWS EBS volume. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** A Gluster volume. */
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  /** A Ceph block device. */
  rbd?: RBDPersistentVolumeSource | undefined;
  /** An iSCSI disk. */
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  /** An OpenStack Cinder volume. */
  cinder?: CinderPersistentVolumeSource | undefined;
  /** A Ceph file system. */
  cephfs?: CephFSPersistentVolumeSource | undefined;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource | undefined;
  /** A Flocker dataset. */
  flocker?: FlockerVolumeSource | undefined;
  /** A volume of a FlexVolume plugin. */
  flexVolume?: FlexPersistentVolumeSource | undefined;
  /** An Azure File share. */
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  /** A vSphere disk. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** An Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A Photon disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** A Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume. */
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  /** A disk or directory of one node. */
  local?: LocalVolumeSource | undefined;
  /** A StorageOS volume. */
  storageos?: StorageOSPersistentVolumeSource | undefined;
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource | undefined;
  /** How many nodes may mount it, and how. */
  accessModes?: string[] | undefined;
  /** The claim that it is bound to. */
  claimRef?: ObjectReference | undefined;
  /** What happens to it when its claim goes. */
  persistentVolumeReclaimPolicy?: string | undefined;
  /** Name of the StorageClass; empty asks for none. */
  storageClassName?: string | undefined;
  /** Options for the mount. */
  mountOptions?: string[] | undefined;
  /** Filesystem or Block. */
  volumeMode?: string | undefined;
  /** Which nodes are fit. */
  nodeAffinity?: VolumeNodeAffinity | undefined;
  /** Class of attributes of the volume. */
  volumeAttributesClassName?: string | undefined;
}

/** What was last observed of a PersistentVolume. */
export interface PersistentVolumeStatus {
  /** Available, Bound, Released or Failed. */
  phase?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** When the phase last changed. */
  lastPhaseTransitionTime?: string | null | undefined;
}

/** A Photon disk. */
export interface PhotonPersistentDiskVolumeSource {
  /** Id of the disk. */
  pdID?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
}

/** Containers that run together on one node. */
export interface Pod {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSpec | undefined;
  /** What was last observed; written by the system. */
  status?: PodStatus | undefined;
}

/** Which pods to be near. */
export interface PodAffinity {
  /** Must hold when the pod is placed; later changes are ignored. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Placement that meets most of these by weight is chosen. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

/** Pods, and what counts as near. */
export interface PodAffinityTerm {
  /** Labels of the objects meant. */
  labelSelector?: LabelSelector | undefined;
  /** Namespaces meant. */
  namespaces?: string[] | undefined;
  /** Label of nodes whose value says where they are. */
  topologyKey?: string | undefined;
  /** Labels of the namespaces meant. */
  namespaceSelector?: LabelSelector | undefined;
  /** Labels whose values of the new pod are added to the selector. */
  matchLabelKeys?: string[] | undefined;
  /** Labels whose values of the new pod are excluded by the selector. */
  mismatchLabelKeys?: string[] | undefined;
}

/** Which pods to be away from. */
export interface PodAntiAffinity {
  /** Must hold when the pod is placed; later changes are ignored. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Placement that meets most of these by weight is chosen. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

/** How to attach to a container. */
export interface PodAttachOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Keep standard input open. */
  stdin?: boolean | undefined;
  /** Attach standard output. */
  stdout?: boolean | undefined;
  /** Attach standard error. */
  stderr?: boolean | undefined;
  /** Give the process a terminal. */
  tty?: boolean | undefined;
  /** Name of a container. */
  container?: string | undefined;
}

/** A private key and its certificate as files. */
export interface PodCertificateProjection {
  /** Who signs, such as example.com/signer. */
  signerName?: string | undefined;
  /** Type of the key, such as ED25519. */
  keyType?: string | undefined;
  /** Longest life of the certificate in seconds. */
  maxExpirationSeconds?: number | undefined;
  /** File with key and certificates. */
  credentialBundlePath?: string | undefined;
  /** File with the key alone. */
  keyPath?: string | undefined;
  /** File with the certificates alone. */
  certificateChainPath?: string | undefined;
  /** What the signer is told. */
  userAnnotations?: Record<string, string> | undefined;
}

/** One observation of a Pod. */
export interface PodCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the condition was last checked. */
  lastProbeTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Generation of the pod that the condition is about. */
  observedGeneration?: number | undefined;
}

/** DNS settings of a pod. */
export interface PodDNSConfig {
  /** Addresses of name servers, added to those of the policy. */
  nameservers?: string[] | undefined;
  /** Domains to search, added to those of the policy. */
  searches?: string[] | undefined;
  /** Options of the operation. */
  options?: PodDNSConfigOption[] | undefined;
}

/** An option of the resolver. */
export interface PodDNSConfigOption {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** The value. */
  value?: string | undefined;
}

/** What to run in a container, and how. */
export interface PodExecOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Keep standard input open. */
  stdin?: boolean | undefined;
  /** Attach standard output. */
  stdout?: boolean | undefined;
  /** Attach standard error. */
  stderr?: boolean | undefined;
  /** Give the process a terminal. */
  tty?: boolean | undefined;
  /** Name of a container. */
  container?: string | undefined;
  /** Command and arguments, run without a shell. */
  command?: string[] | null | undefined;
}

/** The claim that stands for extended resources of a pod. */
export interface PodExtendedResourceClaimStatus {
  /** Requests of the claim by container and resource. */
  requestMappings?: ContainerExtendedResourceRequest[] | null | undefined;
  /** Name of the claim. */
  resourceClaimName?: string | undefined;
}

/** An address of a pod. */
export interface PodIP {
  /** IP address. */
  ip?: string | undefined;
}

/** A list of Pod objects. */
export interface PodList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Pod[] | null | undefined;
}

/** Which part of a log is wanted. */
export interface PodLogOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name of a container. */
  container?: string | undefined;
  /** Stream the log as it grows. */
  follow?: boolean | undefined;
  /** The log of the container before the last restart. */
  previous?: boolean | undefined;
  /** Only lines of the last seconds. */
  sinceSeconds?: number | undefined;
  /** Only lines after this time. */
  sinceTime?: string | null | undefined;
  /** Put the time before each line. */
  timestamps?: boolean | undefined;
  /** Only the last lines. */
  tailLines?: number | undefined;
  /** Most bytes to return. */
  limitBytes?: number | undefined;
  /** Do not check the node's certificate. */
  insecureSkipTLSVerifyBackend?: boolean | undefined;
  /** Which output: All, Stdout or Stderr. */
  stream?: string | undefined;
}

/** Operating system of a pod. */
export interface PodOS {
  /** linux or windows. */
  name?: string | undefined;
}

/** Ports to forward to. */
export interface PodPortForwardOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Ports offered. */
  ports?: number[] | undefined;
}

/** Path to reach in a pod. */
export interface PodProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
}

/** A condition that also counts for being ready. */
export interface PodReadinessGate {
  /** Type of the condition. */
  conditionType?: string | undefined;
}

/** A claim of devices that containers of a pod use. */
export interface PodResourceClaim {
  /** Name in the pod. */
  name?: string | undefined;
  /** Where the claim comes from. */
  source?: ClaimSource | undefined;
  /** Name of a claim. */
  resourceClaimName?: string | undefined;
  /** Name of a template that a claim is made from. */
  resourceClaimTemplateName?: string | undefined;
}

/** The claim that was made from a template. */
export interface PodResourceClaimStatus {
  /** Name in the pod. */
  name?: string | undefined;
  /** Name of the claim; absent: none was needed. */
  resourceClaimName?: string | undefined;
}

/** A reason not to schedule a pod yet. */
export interface PodSchedulingGate {
  /** Name of the gate, unique in the pod. */
  name?: string | undefined;
}

/** Pods that are scheduled together. */
export interface PodSchedulingGroup {
  /** Name of the group. */
  podGroupName?: string | undefined;
}

/** Privileges and identity of all containers of a pod. */
export interface PodSecurityContext {
  /** SELinux context. */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** User id of the process. */
  runAsUser?: number | undefined;
  /** Refuse to run as user 0. */
  runAsNonRoot?: boolean | undefined;
  /** More group ids of the process. */
  supplementalGroups?: number[] | undefined;
  /** Group id that owns the files of volumes. */
  fsGroup?: number | undefined;
  /** Group id of the process. */
  runAsGroup?: number | undefined;
  /** Kernel parameters to set. */
  sysctls?: Sysctl[] | undefined;
  /** Settings for Windows. */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** Whether the group of files is changed always or only at the root's mismatch. */
  fsGroupChangePolicy?: string | undefined;
  /** Which system calls are allowed. */
  seccompProfile?: SeccompProfile | undefined;
  /** Profile of AppArmor for all containers. */
  appArmorProfile?: AppArmorProfile | undefined;
  /** Merge: with groups of the image; Strict: without. */
  supplementalGroupsPolicy?: string | undefined;
  /** How volumes get the SELinux label: MountOption or Recursive. */
  seLinuxChangePolicy?: string | undefined;
}

/** Which pods are meant. */
export interface PodSignature {
  /** The controller whose pods should go elsewhere. */
  podController?: OwnerReference | undefined;
}

/** What a pod runs, and how and where. */
export interface PodSpec {
  /** Volumes that containers can mount. */
  volumes?: Volume[] | undefined;
  /** Containers of the pod; at least one, fixed once created. */
  containers?: Container[] | null | undefined;
  /** When containers are restarted: Always, OnFailure or Never. */
  restartPolicy?: string | undefined;
  /** Seconds between the request to stop and the end. */
  terminationGracePeriodSeconds?: number | undefined;
  /** Seconds that the pod may run before it is failed. */
  activeDeadlineSeconds?: number | undefined;
  /** Where names are looked up. */
  dnsPolicy?: string | undefined;
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string> | undefined;
  /** The account that the pod acts as. */
  serviceAccountName?: string | undefined;
  /** Old name of serviceAccountName. */
  serviceAccount?: string | undefined;
  /** Node that the pod runs on; set by the scheduler. */
  nodeName?: string | undefined;
  /** Use the node's network. */
  hostNetwork?: boolean | undefined;
  /** Share the node's process ids. */
  hostPID?: boolean | undefined;
  /** Share the node's IPC. */
  hostIPC?: boolean | undefined;
  /** Privileges and identity of all containers. */
  securityContext?: PodSecurityContext | undefined;
  /** Secrets for pulling images. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Host name of the pod; absent: its name. */
  hostname?: string | undefined;
  /** Middle part of the full host name. */
  subdomain?: string | undefined;
  /** Preferences for where to run. */
  affinity?: Affinity | undefined;
  /** Which scheduler places the pod. */
  schedulerName?: string | undefined;
  /** Containers that run one after another before the others start. */
  initContainers?: Container[] | undefined;
  /** Whether the service account's token is mounted. */
  automountServiceAccountToken?: boolean | undefined;
  /** Taints that are tolerated. */
  tolerations?: Toleration[] | undefined;
  /** Entries for the hosts file. */
  hostAliases?: HostAlias[] | undefined;
  /** Name of a PriorityClass. */
  priorityClassName?: string | undefined;
  /** Number that the priority class stands for. */
  priority?: number | undefined;
  /** More DNS settings. */
  dnsConfig?: PodDNSConfig | undefined;
  /** All containers see each other's processes. */
  shareProcessNamespace?: boolean | undefined;
  /** Conditions that also count for being ready. */
  readinessGates?: PodReadinessGate[] | undefined;
  /** Name of a RuntimeClass. */
  runtimeClassName?: string | undefined;
  /** Put addresses of services into the environment. */
  enableServiceLinks?: boolean | undefined;
  /** Whether pods of lower priority may be evicted to make room. */
  preemptionPolicy?: string | undefined;
  /** Resources that the sandbox itself takes. */
  overhead?: Record<string, string> | undefined;
  /** How pods are spread over places. */
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  /** Containers added to a running pod to look into it. */
  ephemeralContainers?: EphemeralContainer[] | undefined;
  /** The host name is the full one. */
  setHostnameAsFQDN?: boolean | undefined;
  /** Operating system of the containers. */
  os?: PodOS | undefined;
  /** False: the pod has users of its own, which are others on the node. */
  hostUsers?: boolean | undefined;
  /** While there is one, the pod is not scheduled. */
  schedulingGates?: PodSchedulingGate[] | undefined;
  /** Claims of devices that containers may use. */
  resourceClaims?: PodResourceClaim[] | undefined;
  /** Resources of the pod as a whole. */
  resources?: ResourceRequirements | undefined;
  /** Host name inside the pod, instead of one made of its name. */
  hostnameOverride?: string | undefined;
  /** The Workload that the pod is part of. */
  workloadRef?: WorkloadReference | undefined;
  /** The group that the pod is scheduled with. */
  schedulingGroup?: PodSchedulingGroup | undefined;
}

/** What was last observed of a pod. */
export interface PodStatus {
  /** Pending, Running, Succeeded, Failed or Unknown. */
  phase?: string | undefined;
  /** Latest observations, one per type. */
  conditions?: PodCondition[] | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Address of the node. */
  hostIP?: string | undefined;
  /** First address of the pod. */
  podIP?: string | undefined;
  /** When the node took the pod. */
  startTime?: string | null | undefined;
  /** State of each container. */
  containerStatuses?: ContainerStatus[] | undefined;
  /** Class of service that follows from requests and limits. */
  qosClass?: string | undefined;
  /** State of each init container. */
  initContainerStatuses?: ContainerStatus[] | undefined;
  /** Node that is being freed for this pod. */
  nominatedNodeName?: string | undefined;
  /** All addresses of the pod. */
  podIPs?: PodIP[] | undefined;
  /** State of each ephemeral container. */
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  /** How a change of resources goes. */
  resize?: string | undefined;
  /** Claims that were made from templates. */
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  /** Addresses of the node. */
  hostIPs?: HostIP[] | undefined;
  /** Generation of the pod that the status is about. */
  observedGeneration?: number | undefined;
  /** The claim that stands for extended resources. */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
  /** Resources that the node has set aside for the pod. */
  allocatedResources?: Record<string, string> | undefined;
  /** Resources of the pod as they are in force. */
  resources?: ResourceRequirements | undefined;
  /** Resources of the node that claims take. */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
}

/** The status of a pod, as a node reports it. */
export interface PodStatusResult {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What was last observed; written by the system. */
  status?: PodStatus | undefined;
}

/** A stored template of pods. */
export interface PodTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
}

/** A list of PodTemplate objects. */
export interface PodTemplateList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodTemplate[] | null | undefined;
}

/** What each new pod looks like. */
export interface PodTemplateSpec {
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSpec | undefined;
}

/** What was last observed of a Port. */
export interface PortStatus {
  /** Port number. */
  port?: number | undefined;
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** What went wrong. */
  error?: string | undefined;
}

/** A Portworx volume. */
export interface PortworxVolumeSource {
  /** Id of the volume at the provider. */
  volumeID?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** What must hold before something is done. */
export interface Preconditions {
  /** Unique id of the object meant. */
  uid?: string | undefined;
}

/** A set of pods that a node would rather not run. */
export interface PreferAvoidPodsEntry {
  /** Which pods should go elsewhere. */
  podSignature?: PodSignature | undefined;
  /** When a pod was evicted. */
  evictionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** Nodes preferred, with a weight. */
export interface PreferredSchedulingTerm {
  /** How much this counts beside others. */
  weight?: number | undefined;
  /** The nodes preferred. */
  preference?: NodeSelectorTerm | undefined;
}

/** A check of a container. */
export interface Probe {
  /** Runs a command in the container. */
  exec?: ExecAction | undefined;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction | undefined;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Asks by gRPC. */
  grpc?: GRPCAction | undefined;
  /** Seconds to wait before the first check. */
  initialDelaySeconds?: number | undefined;
  /** Seconds to wait before giving up. */
  timeoutSeconds?: number | undefined;
  /** Length of the period in seconds. */
  periodSeconds?: number | undefined;
  /** How many successes in a row count. */
  successThreshold?: number | undefined;
  /** How many failures in a row count. */
  failureThreshold?: number | undefined;
  /** Seconds between the request to stop and the end. */
  terminationGracePeriodSeconds?: number | undefined;
}

/** How a container is probed. */
export interface ProbeHandler {
  /** Runs a command in the container. */
  exec?: ExecAction | undefined;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction | undefined;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Asks by gRPC. */
  grpc?: GRPCAction | undefined;
}

/** Several sources in one directory. */
export interface ProjectedVolumeSource {
  /** What the directory is made of. */
  sources?: VolumeProjection[] | null | undefined;
  /** Permission bits of files that do not set their own. */
  defaultMode?: number | undefined;
}

/** A Quobyte volume. */
export interface QuobyteVolumeSource {
  /** Addresses of the registry. */
  registry?: string | undefined;
  /** Name of the volume. */
  volume?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** API group. */
  group?: string | undefined;
  /** Tenant that owns the volume. */
  tenant?: string | undefined;
}

/** A Ceph block device. */
export interface RBDPersistentVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors?: string[] | null | undefined;
  /** Image to run or use. */
  image?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Name of the pool. */
  pool?: string | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** Path of the keyring. */
  keyring?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A Ceph block device. */
export interface RBDVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors?: string[] | null | undefined;
  /** Image to run or use. */
  image?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Name of the pool. */
  pool?: string | undefined;
  /** Name of a user. */
  user?: string | undefined;
  /** Path of the keyring. */
  keyring?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** Numbers taken from a range. */
export interface RangeAllocation {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The range that numbers are taken from. */
  range?: string | undefined;
  /** The data, by key. */
  data?: string | undefined;
}

/** Keeps a number of pods running. */
export interface ReplicationController {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ReplicationControllerSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ReplicationControllerStatus | undefined;
}

/** One observation of a ReplicationController. */
export interface ReplicationControllerCondition {
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

/** A list of ReplicationController objects. */
export interface ReplicationControllerList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ReplicationController[] | null | undefined;
}

/** What is wanted of a ReplicationController. */
export interface ReplicationControllerSpec {
  /** How many are wanted. */
  replicas?: number | undefined;
  /** Labels of the pods that are counted. */
  selector?: Record<string, string> | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** Seconds that a new pod must be ready without a crash to count as available. */
  minReadySeconds?: number | undefined;
}

/** What was last observed of a ReplicationController. */
export interface ReplicationControllerStatus {
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
  conditions?: ReplicationControllerCondition[] | undefined;
}

/** A claim of devices. */
export interface ResourceClaim {
  /** Name of a claim of the pod. */
  name?: string | undefined;
  /** Name of one request of the claim; empty: all. */
  request?: string | undefined;
}

/** Names a resource amount of a container. */
export interface ResourceFieldSelector {
  /** Name of a container; needed for volumes. */
  containerName?: string | undefined;
  /** Resource meant, in its plural lower-case name. */
  resource?: string | undefined;
  /** Unit of the result. */
  divisor?: string | undefined;
}

/** How a device is. */
export interface ResourceHealth {
  /** Id of the device. */
  resourceID?: string | undefined;
  /** Healthy, Unhealthy or Unknown. */
  health?: string | undefined;
  /** Words about it for people. */
  message?: string | undefined;
}

/** Limits what a namespace may use in sum. */
export interface ResourceQuota {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceQuotaSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ResourceQuotaStatus | undefined;
}

/** A list of ResourceQuota objects. */
export interface ResourceQuotaList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceQuota[] | null | undefined;
}

/** What is wanted of a ResourceQuota. */
export interface ResourceQuotaSpec {
  /** Limits, by resource. */
  hard?: Record<string, string> | undefined;
  /** Only objects that match all of these count. */
  scopes?: string[] | undefined;
  /** Only objects that match count. */
  scopeSelector?: ScopeSelector | undefined;
}

/** What was last observed of a ResourceQuota. */
export interface ResourceQuotaStatus {
  /** Limits, by resource. */
  hard?: Record<string, string> | undefined;
  /** Use, by resource. */
  used?: Record<string, string> | undefined;
}

/** Resources set aside and the most that may be used. */
export interface ResourceRequirements {
  /** Most that may be used, by resource. */
  limits?: Record<string, string> | undefined;
  /** Least that is set aside, by resource. */
  requests?: Record<string, string> | undefined;
  /** Claims of the pod that the container uses. */
  claims?: ResourceClaim[] | undefined;
}

/** How the devices of a resource are. */
export interface ResourceStatus {
  /** Name of the resource. */
  name?: string | undefined;
  /** The devices. */
  resources?: ResourceHealth[] | undefined;
}

/** An SELinux context. */
export interface SELinuxOptions {
  /** Name of a user. */
  user?: string | undefined;
  /** SELinux role. */
  role?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** SELinux level. */
  level?: string | undefined;
}

/** A ScaleIO volume. */
export interface ScaleIOPersistentVolumeSource {
  /** Address of the gateway. */
  gateway?: string | undefined;
  /** Name of the storage system. */
  system?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: SecretReference | null | undefined;
  /** Speak TLS to the gateway. */
  sslEnabled?: boolean | undefined;
  /** Protection domain of the storage. */
  protectionDomain?: string | undefined;
  /** Storage pool of the domain. */
  storagePool?: string | undefined;
  /** ThickProvisioned or ThinProvisioned. */
  storageMode?: string | undefined;
  /** Name of the volume. */
  volumeName?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** A ScaleIO volume. */
export interface ScaleIOVolumeSource {
  /** Address of the gateway. */
  gateway?: string | undefined;
  /** Name of the storage system. */
  system?: string | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | null | undefined;
  /** Speak TLS to the gateway. */
  sslEnabled?: boolean | undefined;
  /** Protection domain of the storage. */
  protectionDomain?: string | undefined;
  /** Storage pool of the domain. */
  storagePool?: string | undefined;
  /** ThickProvisioned or ThinProvisioned. */
  storageMode?: string | undefined;
  /** Name of the volume. */
  volumeName?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
}

/** Chooses objects by scope. */
export interface ScopeSelector {
  /** Requirements, all of which must hold. */
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}

/** A condition on one scope. */
export interface ScopedResourceSelectorRequirement {
  /** Which scope. */
  scopeName?: string | undefined;
  /** How key and values are compared. */
  operator?: string | undefined;
  /** Values to compare with. */
  values?: string[] | undefined;
}

/** Which system calls are allowed. */
export interface SeccompProfile {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Profile file on the node. */
  localhostProfile?: string | undefined;
}

/** Confidential data. */
export interface Secret {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** The secret values, base64, by key. */
  data?: Record<string, string> | undefined;
  /** What the secret is for; fixes which keys it must have. */
  type?: string | undefined;
  /** Data as plain text; merged into data, never shown. */
  stringData?: Record<string, string> | undefined;
  /** True: the data can no longer be changed. */
  immutable?: boolean | undefined;
}

/** A Secret whose keys become variables. */
export interface SecretEnvSource {
  /** Name of the object meant. */
  name?: string | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** A key of a Secret. */
export interface SecretKeySelector {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Key to use. */
  key?: string | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** A list of Secret objects. */
export interface SecretList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Secret[] | null | undefined;
}

/** Keys of a Secret as files. */
export interface SecretProjection {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Keys to show and where; empty means all. */
  items?: KeyToPath[] | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** Names a Secret in any namespace. */
export interface SecretReference {
  /** Name of the object meant. */
  name?: string | undefined;
  /** Namespace of the object meant. */
  namespace?: string | undefined;
}

/** Keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of a Secret in the same namespace. */
  secretName?: string | undefined;
  /** Keys to show and where; empty means all. */
  items?: KeyToPath[] | undefined;
  /** Permission bits of files that do not set their own. */
  defaultMode?: number | undefined;
  /** True: go on when the object or key does not exist. */
  optional?: boolean | undefined;
}

/** Privileges and identity of a container. */
export interface SecurityContext {
  /** Capabilities to add and to take away. */
  capabilities?: Capabilities | undefined;
  /** Run with all the node's privileges. */
  privileged?: boolean | undefined;
  /** SELinux context. */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** User id of the process. */
  runAsUser?: number | undefined;
  /** Refuse to run as user 0. */
  runAsNonRoot?: boolean | undefined;
  /** The root file system cannot be written. */
  readOnlyRootFilesystem?: boolean | undefined;
  /** Whether the process may gain more privileges than its parent. */
  allowPrivilegeEscalation?: boolean | undefined;
  /** Group id of the process. */
  runAsGroup?: number | undefined;
  /** How /proc is mounted. */
  procMount?: string | undefined;
  /** Settings for Windows. */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** Which system calls are allowed. */
  seccompProfile?: SeccompProfile | undefined;
  /** Profile of AppArmor. */
  appArmorProfile?: AppArmorProfile | undefined;
}

/** Names the object that something was made for. */
export interface SerializedReference {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** The object meant. */
  reference?: ObjectReference | undefined;
}

/** A stable address for a set of pods. */
export interface Service {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** How the service is reached and which pods stand behind it. */
  spec?: ServiceSpec | undefined;
  /** What was last observed; written by the system. */
  status?: ServiceStatus | undefined;
}

/** An identity for pods. */
export interface ServiceAccount {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Secrets that pods of this account may use. */
  secrets?: ObjectReference[] | undefined;
  /** Secrets for pulling images. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Whether the service account's token is mounted. */
  automountServiceAccountToken?: boolean | undefined;
}

/** A list of ServiceAccount objects. */
export interface ServiceAccountList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ServiceAccount[] | null | undefined;
}

/** A token of the service account as a file. */
export interface ServiceAccountTokenProjection {
  /** Whom the token is meant for. */
  audience?: string | undefined;
  /** How long the token is wanted to be valid. */
  expirationSeconds?: number | undefined;
  /** Path to use. */
  path?: string | undefined;
}

/** A list of Service objects. */
export interface ServiceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Service[] | null | undefined;
}

/** A port of a service. */
export interface ServicePort {
  /** Name of the port; needed when there are several. */
  name?: string | undefined;
  /** Protocol: TCP, UDP or SCTP. */
  protocol?: string | undefined;
  /** Port of the service. */
  port?: number | undefined;
  /** Port of the pods, by number or name. */
  targetPort?: number | string | undefined;
  /** Port on every node. */
  nodePort?: number | undefined;
  /** Protocol spoken above the port's own. */
  appProtocol?: string | undefined;
}

/** Path to reach at a service. */
export interface ServiceProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path to use. */
  path?: string | undefined;
}

/** What is wanted of a Service. */
export interface ServiceSpec {
  /** Ports offered. */
  ports?: ServicePort[] | undefined;
  /** Labels of the pods that get the traffic. */
  selector?: Record<string, string> | undefined;
  /** Address inside the cluster; None for a headless service. */
  clusterIP?: string | undefined;
  /** ClusterIP, NodePort, LoadBalancer or ExternalName. */
  type?: string | undefined;
  /** Further addresses that nodes accept traffic for. */
  externalIPs?: string[] | undefined;
  /** ClientIP: the same client goes to the same pod. */
  sessionAffinity?: string | undefined;
  /** Address asked of the load balancer. */
  loadBalancerIP?: string | undefined;
  /** Client networks that the load balancer admits. */
  loadBalancerSourceRanges?: string[] | undefined;
  /** DNS name that the service stands for. */
  externalName?: string | undefined;
  /** Local: only pods of the node that the traffic came to. */
  externalTrafficPolicy?: string | undefined;
  /** Port of the node that tells whether it has pods. */
  healthCheckNodePort?: number | undefined;
  /** Publish pods that are not ready too. */
  publishNotReadyAddresses?: boolean | undefined;
  /** Settings of the affinity. */
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  /** Labels of nodes that describe where they are. */
  topologyKeys?: string[] | undefined;
  /** Whether one or both families are wanted. */
  ipFamilyPolicy?: string | undefined;
  /** Addresses inside the cluster, at most one per family. */
  clusterIPs?: string[] | undefined;
  /** Address families, IPv4 and IPv6. */
  ipFamilies?: string[] | undefined;
  /** Whether ports of the nodes are taken for the load balancer. */
  allocateLoadBalancerNodePorts?: boolean | undefined;
  /** Which load balancer serves it. */
  loadBalancerClass?: string | undefined;
  /** Local: only pods of the same node. */
  internalTrafficPolicy?: string | undefined;
  /** Which endpoints are preferred, such as PreferClose. */
  trafficDistribution?: string | undefined;
}

/** What was last observed of a Service. */
export interface ServiceStatus {
  /** State of the load balancer. */
  loadBalancer?: LoadBalancerStatus | undefined;
  /** Latest observations, one per type. */
  conditions?: Condition[] | undefined;
}

/** Settings of session affinity. */
export interface SessionAffinityConfig {
  /** Settings of affinity by client address. */
  clientIP?: ClientIPConfig | undefined;
}

/** Waits. */
export interface SleepAction {
  /** How long. */
  seconds?: number | undefined;
}

/** A StorageOS volume. */
export interface StorageOSPersistentVolumeSource {
  /** Name of the volume. */
  volumeName?: string | undefined;
  /** Namespace of the volume at the provider; absent: the pod's. */
  volumeNamespace?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: ObjectReference | undefined;
}

/** A StorageOS volume. */
export interface StorageOSVolumeSource {
  /** Name of the volume. */
  volumeName?: string | undefined;
  /** Namespace of the volume at the provider; absent: the pod's. */
  volumeNamespace?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Secret that holds the credentials. */
  secretRef?: LocalObjectReference | undefined;
}

/** A kernel parameter. */
export interface Sysctl {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** The value. */
  value?: string | undefined;
}

/** A connection to the container. */
export interface TCPSocketAction {
  /** Port number. */
  port?: number | string | undefined;
  /** Host name or address. */
  host?: string | undefined;
}

/** Keeps pods away that do not tolerate it. */
export interface Taint {
  /** Name of the taint. */
  key?: string | undefined;
  /** The value. */
  value?: string | undefined;
  /** NoSchedule, PreferNoSchedule or NoExecute. */
  effect?: string | undefined;
  /** When the taint was added. */
  timeAdded?: string | null | undefined;
}

/** A taint that is tolerated. */
export interface Toleration {
  /** Taint to tolerate; empty with Exists means all. */
  key?: string | undefined;
  /** How key and values are compared. */
  operator?: string | undefined;
  /** The value. */
  value?: string | undefined;
  /** Effect to tolerate; empty means all. */
  effect?: string | undefined;
  /** How long NoExecute is tolerated; absent: for ever. */
  tolerationSeconds?: number | undefined;
}

/** Values of a label. */
export interface TopologySelectorLabelRequirement {
  /** Key to use. */
  key?: string | undefined;
  /** Values to compare with. */
  values?: string[] | null | undefined;
}

/** Places, by label. */
export interface TopologySelectorTerm {
  /** Requirements on labels, all of which must hold. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}

/** How evenly pods are spread. */
export interface TopologySpreadConstraint {
  /** Most that places may differ in number of pods. */
  maxSkew?: number | undefined;
  /** Label of nodes whose value says where they are. */
  topologyKey?: string | undefined;
  /** DoNotSchedule or ScheduleAnyway. */
  whenUnsatisfiable?: string | undefined;
  /** Labels of the objects meant. */
  labelSelector?: LabelSelector | undefined;
  /** Fewest places; with fewer, each counts as one without pods. */
  minDomains?: number | undefined;
  /** Whether nodes that the pod does not fit are counted: Honor or Ignore. */
  nodeAffinityPolicy?: string | undefined;
  /** Whether tainted nodes are counted: Honor or Ignore. */
  nodeTaintsPolicy?: string | undefined;
  /** Labels whose values of the new pod are added to the selector. */
  matchLabelKeys?: string[] | undefined;
}

/** Names an object in the same namespace. */
export interface TypedLocalObjectReference {
  /** API group of the object meant; empty is core. */
  apiGroup?: string | undefined;
  /** Kind of the object meant. */
  kind?: string | undefined;
  /** Name of the object meant. */
  name?: string | undefined;
}

/** Names an object of any kind, also in another namespace. */
export interface TypedObjectReference {
  /** Group of the object; absent: the core group. */
  apiGroup?: string | undefined;
  /** Kind of the object. */
  kind?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
  /** Namespace of the object; absent: the same. */
  namespace?: string | undefined;
}

/** A volume of a pod. */
export interface Volume {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** An empty directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  /** A GCE disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** An AWS EBS volume. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A git checkout; no longer recommended. */
  gitRepo?: GitRepoVolumeSource | undefined;
  /** A Secret, each key a file. */
  secret?: SecretVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource | undefined;
  /** A Gluster volume. */
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** A claim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  /** A Ceph block device. */
  rbd?: RBDVolumeSource | undefined;
  /** A volume of a FlexVolume plugin. */
  flexVolume?: FlexVolumeSource | undefined;
  /** An OpenStack Cinder volume. */
  cinder?: CinderVolumeSource | undefined;
  /** A Ceph file system. */
  cephfs?: CephFSVolumeSource | undefined;
  /** A Flocker dataset. */
  flocker?: FlockerVolumeSource | undefined;
  /** Fields of the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource | undefined;
  /** An Azure File share. */
  azureFile?: AzureFileVolumeSource | undefined;
  /** A ConfigMap, each key a file. */
  configMap?: ConfigMapVolumeSource | undefined;
  /** A vSphere disk. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** An Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A Photon disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** A Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume. */
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource | undefined;
  /** A StorageOS volume. */
  storageos?: StorageOSVolumeSource | undefined;
  /** A volume of a CSI driver. */
  csi?: CSIVolumeSource | undefined;
  /** A claim that is made and deleted with the pod. */
  ephemeral?: EphemeralVolumeSource | undefined;
  /** Files of an image. */
  image?: ImageVolumeSource | undefined;
}

/** A block device in a container. */
export interface VolumeDevice {
  /** Name, unique among its siblings. */
  name?: string | undefined;
  /** Path of the device on the node. */
  devicePath?: string | undefined;
}

/** A volume in a container. */
export interface VolumeMount {
  /** Name of a volume of the pod. */
  name?: string | undefined;
  /** Mount without write access. */
  readOnly?: boolean | undefined;
  /** Where it appears. */
  mountPath?: string | undefined;
  /** Path inside the volume. */
  subPath?: string | undefined;
  /** How mounts made later are seen by node and container. */
  mountPropagation?: string | undefined;
  /** Path inside the volume, with variables expanded. */
  subPathExpr?: string | undefined;
  /** Whether read-only holds for all below: Disabled, IfPossible or Enabled. */
  recursiveReadOnly?: string | undefined;
}

/** How a volume is mounted. */
export interface VolumeMountStatus {
  /** Name of the volume. */
  name?: string | undefined;
  /** Path in the container. */
  mountPath?: string | undefined;
  /** Mounted without write access. */
  readOnly?: boolean | undefined;
  /** Disabled, IfPossible or Enabled, as it came out. */
  recursiveReadOnly?: string | undefined;
  /** What is known of the volume. */
  volumeStatus?: VolumeStatus | undefined;
}

/** Which nodes can reach a volume. */
export interface VolumeNodeAffinity {
  /** Must it be given, or which fields must. */
  required?: NodeSelector | undefined;
}

/** One source of a projected volume; exactly one is set. */
export interface VolumeProjection {
  /** A Secret, each key a file. */
  secret?: SecretProjection | undefined;
  /** Fields of the pod as files. */
  downwardAPI?: DownwardAPIProjection | undefined;
  /** A ConfigMap, each key a file. */
  configMap?: ConfigMapProjection | undefined;
  /** A token of the pod's service account. */
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  /** Certificates that the cluster trusts. */
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  /** A key and a certificate of the pod. */
  podCertificate?: PodCertificateProjection | undefined;
}

/** How much storage is asked for. */
export interface VolumeResourceRequirements {
  /** Most storage. */
  limits?: Record<string, string> | undefined;
  /** Least storage. */
  requests?: Record<string, string> | undefined;
}

/** Where a volume comes from; exactly one is set. */
export interface VolumeSource {
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource | undefined;
  /** An empty directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  /** A GCE disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** An AWS EBS volume. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** A git checkout; no longer recommended. */
  gitRepo?: GitRepoVolumeSource | undefined;
  /** A Secret, each key a file. */
  secret?: SecretVolumeSource | undefined;
  /** A directory of an NFS server. */
  nfs?: NFSVolumeSource | undefined;
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource | undefined;
  /** A Gluster volume. */
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** A claim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  /** A Ceph block device. */
  rbd?: RBDVolumeSource | undefined;
  /** A volume of a FlexVolume plugin. */
  flexVolume?: FlexVolumeSource | undefined;
  /** An OpenStack Cinder volume. */
  cinder?: CinderVolumeSource | undefined;
  /** A Ceph file system. */
  cephfs?: CephFSVolumeSource | undefined;
  /** A Flocker dataset. */
  flocker?: FlockerVolumeSource | undefined;
  /** Fields of the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource | undefined;
  /** An Azure File share. */
  azureFile?: AzureFileVolumeSource | undefined;
  /** A ConfigMap, each key a file. */
  configMap?: ConfigMapVolumeSource | undefined;
  /** A vSphere disk. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** A Quobyte volume. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** An Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** A Photon disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** A Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** A ScaleIO volume. */
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource | undefined;
  /** A StorageOS volume. */
  storageos?: StorageOSVolumeSource | undefined;
  /** A volume of a CSI driver. */
  csi?: CSIVolumeSource | undefined;
  /** A claim that is made and deleted with the pod. */
  ephemeral?: EphemeralVolumeSource | undefined;
  /** Files of an image. */
  image?: ImageVolumeSource | undefined;
}

/** What is known of a mounted volume. */
export interface VolumeStatus {
  /** The image that it is made of. */
  image?: ImageVolumeStatus | undefined;
}

/** A vSphere disk. */
export interface VsphereVirtualDiskVolumeSource {
  /** Path of the disk. */
  volumePath?: string | undefined;
  /** File system to mount, such as ext4. */
  fsType?: string | undefined;
  /** Name of the storage policy. */
  storagePolicyName?: string | undefined;
  /** Id of the storage policy. */
  storagePolicyID?: string | undefined;
}

/** Pods to be near to or away from, with a weight. */
export interface WeightedPodAffinityTerm {
  /** How much this counts beside others. */
  weight?: number | undefined;
  /** The pods meant, and how near. */
  podAffinityTerm?: PodAffinityTerm | undefined;
}

/** Identity of a process on Windows. */
export interface WindowsSecurityContextOptions {
  /** Name of the GMSA credential. */
  gmsaCredentialSpecName?: string | undefined;
  /** The GMSA credential itself. */
  gmsaCredentialSpec?: string | undefined;
  /** Windows user of the process. */
  runAsUserName?: string | undefined;
  /** The containers run as processes of the node. */
  hostProcess?: boolean | undefined;
}

/** Names a Workload, and a group of pods of it. */
export interface WorkloadReference {
  /** Name of the Workload. */
  name?: string | undefined;
  /** Name of the group. */
  podGroup?: string | undefined;
  /** Which replica of the group. */
  podGroupReplicaKey?: string | undefined;
}
