/** Types of core/v1; generated from v1.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta, OwnerReference } from '../meta/v1.types.ts';

/** AWS elastic block store volume source. */
export interface AWSElasticBlockStoreVolumeSource {
  /** Volume ID. */
  volumeID?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Partition. */
  partition?: number | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Affinity. */
export interface Affinity {
  /** Node affinity. */
  nodeAffinity?: NodeAffinity | undefined;
  /** Pod affinity. */
  podAffinity?: PodAffinity | undefined;
  /** Pod anti affinity. */
  podAntiAffinity?: PodAntiAffinity | undefined;
}

/** Attached volume. */
export interface AttachedVolume {
  /** Name. */
  name?: string | undefined;
  /** Device path. */
  devicePath?: string | undefined;
}

/** Avoid pods. */
export interface AvoidPods {
  /** Prefer avoid pods. */
  preferAvoidPods?: PreferAvoidPodsEntry[] | undefined;
}

/** Azure disk volume source. */
export interface AzureDiskVolumeSource {
  /** Disk name. */
  diskName?: string | undefined;
  /** Disk URI. */
  diskURI?: string | undefined;
  /** Caching mode. */
  cachingMode?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Kind. */
  kind?: string | undefined;
}

/** Azure file persistent volume source. */
export interface AzureFilePersistentVolumeSource {
  /** Secret name. */
  secretName?: string | undefined;
  /** Share name. */
  shareName?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Secret namespace. */
  secretNamespace?: string | undefined;
}

/** Azure file volume source. */
export interface AzureFileVolumeSource {
  /** Secret name. */
  secretName?: string | undefined;
  /** Share name. */
  shareName?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Binding. */
export interface Binding {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Target. */
  target?: ObjectReference | undefined;
}

/** CSI persistent volume source. */
export interface CSIPersistentVolumeSource {
  /** Driver. */
  driver?: string | undefined;
  /** Volume handle. */
  volumeHandle?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Volume attributes. */
  volumeAttributes?: Record<string, string> | undefined;
  /** Controller publish secret ref. */
  controllerPublishSecretRef?: SecretReference | undefined;
  /** Node stage secret ref. */
  nodeStageSecretRef?: SecretReference | undefined;
  /** Node publish secret ref. */
  nodePublishSecretRef?: SecretReference | undefined;
  /** Controller expand secret ref. */
  controllerExpandSecretRef?: SecretReference | undefined;
}

/** CSI volume source. */
export interface CSIVolumeSource {
  /** Driver. */
  driver?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Volume attributes. */
  volumeAttributes?: Record<string, string> | undefined;
  /** Node publish secret ref. */
  nodePublishSecretRef?: LocalObjectReference | undefined;
}

/** Capabilities. */
export interface Capabilities {
  /** Add. */
  add?: string[] | undefined;
  /** Drop. */
  drop?: string[] | undefined;
}

/** Ceph FS persistent volume source. */
export interface CephFSPersistentVolumeSource {
  /** Monitors. */
  monitors?: string[] | null | undefined;
  /** Path. */
  path?: string | undefined;
  /** User. */
  user?: string | undefined;
  /** Secret file. */
  secretFile?: string | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Ceph FS volume source. */
export interface CephFSVolumeSource {
  /** Monitors. */
  monitors?: string[] | null | undefined;
  /** Path. */
  path?: string | undefined;
  /** User. */
  user?: string | undefined;
  /** Secret file. */
  secretFile?: string | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Cinder persistent volume source. */
export interface CinderPersistentVolumeSource {
  /** Volume ID. */
  volumeID?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | undefined;
}

/** Cinder volume source. */
export interface CinderVolumeSource {
  /** Volume ID. */
  volumeID?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
}

/** Client IP config. */
export interface ClientIPConfig {
  /** Timeout seconds. */
  timeoutSeconds?: number | undefined;
}

/** Component condition. */
export interface ComponentCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Error. */
  error?: string | undefined;
}

/** Component status. */
export interface ComponentStatus {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Conditions. */
  conditions?: ComponentCondition[] | undefined;
}

/** Component status list. */
export interface ComponentStatusList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ComponentStatus[] | null | undefined;
}

/** Config map. */
export interface ConfigMap {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Data. */
  data?: Record<string, string> | undefined;
  /** Binary data. */
  binaryData?: Record<string, string> | undefined;
  /** Immutable. */
  immutable?: boolean | undefined;
}

/** Config map env source. */
export interface ConfigMapEnvSource {
  /** Name. */
  name?: string | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Config map key selector. */
export interface ConfigMapKeySelector {
  /** Name. */
  name?: string | undefined;
  /** Key. */
  key?: string | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Config map list. */
export interface ConfigMapList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ConfigMap[] | null | undefined;
}

/** Config map node config source. */
export interface ConfigMapNodeConfigSource {
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Uid. */
  uid?: string | undefined;
  /** Resource version. */
  resourceVersion?: string | undefined;
  /** Kubelet config key. */
  kubeletConfigKey?: string | undefined;
}

/** Config map projection. */
export interface ConfigMapProjection {
  /** Name. */
  name?: string | undefined;
  /** Items. */
  items?: KeyToPath[] | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Config map volume source. */
export interface ConfigMapVolumeSource {
  /** Name. */
  name?: string | undefined;
  /** Items. */
  items?: KeyToPath[] | undefined;
  /** Default mode. */
  defaultMode?: number | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Container. */
export interface Container {
  /** Name. */
  name?: string | undefined;
  /** Image. */
  image?: string | undefined;
  /** Command. */
  command?: string[] | undefined;
  /** Args. */
  args?: string[] | undefined;
  /** Working dir. */
  workingDir?: string | undefined;
  /** Ports. */
  ports?: ContainerPort[] | undefined;
  /** Env. */
  env?: EnvVar[] | undefined;
  /** Resources. */
  resources?: ResourceRequirements | undefined;
  /** Volume mounts. */
  volumeMounts?: VolumeMount[] | undefined;
  /** Liveness probe. */
  livenessProbe?: Probe | undefined;
  /** Readiness probe. */
  readinessProbe?: Probe | undefined;
  /** Lifecycle. */
  lifecycle?: Lifecycle | undefined;
  /** Termination message path. */
  terminationMessagePath?: string | undefined;
  /** Image pull policy. */
  imagePullPolicy?: string | undefined;
  /** Security context. */
  securityContext?: SecurityContext | undefined;
  /** Stdin. */
  stdin?: boolean | undefined;
  /** Stdin once. */
  stdinOnce?: boolean | undefined;
  /** Tty. */
  tty?: boolean | undefined;
  /** Env from. */
  envFrom?: EnvFromSource[] | undefined;
  /** Termination message policy. */
  terminationMessagePolicy?: string | undefined;
  /** Volume devices. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** Startup probe. */
  startupProbe?: Probe | undefined;
}

/** Container image. */
export interface ContainerImage {
  /** Names. */
  names?: string[] | null | undefined;
  /** Size bytes. */
  sizeBytes?: number | undefined;
}

/** Container port. */
export interface ContainerPort {
  /** Name. */
  name?: string | undefined;
  /** Host port. */
  hostPort?: number | undefined;
  /** Container port. */
  containerPort?: number | undefined;
  /** Protocol. */
  protocol?: string | undefined;
  /** Host IP. */
  hostIP?: string | undefined;
}

/** Container state. */
export interface ContainerState {
  /** Waiting. */
  waiting?: ContainerStateWaiting | undefined;
  /** Running. */
  running?: ContainerStateRunning | undefined;
  /** Terminated. */
  terminated?: ContainerStateTerminated | undefined;
}

/** Container state running. */
export interface ContainerStateRunning {
  /** Started at. */
  startedAt?: string | null | undefined;
}

/** Container state terminated. */
export interface ContainerStateTerminated {
  /** Exit code. */
  exitCode?: number | undefined;
  /** Signal. */
  signal?: number | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Started at. */
  startedAt?: string | null | undefined;
  /** Finished at. */
  finishedAt?: string | null | undefined;
  /** Container ID. */
  containerID?: string | undefined;
}

/** Container state waiting. */
export interface ContainerStateWaiting {
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Container status. */
export interface ContainerStatus {
  /** Name. */
  name?: string | undefined;
  /** State. */
  state?: ContainerState | undefined;
  /** Last state. */
  lastState?: ContainerState | undefined;
  /** Ready. */
  ready?: boolean | undefined;
  /** Restart count. */
  restartCount?: number | undefined;
  /** Image. */
  image?: string | undefined;
  /** Image ID. */
  imageID?: string | undefined;
  /** Container ID. */
  containerID?: string | undefined;
  /** Started. */
  started?: boolean | undefined;
}

/** Daemon endpoint. */
export interface DaemonEndpoint {
  /** Port. */
  Port?: number | undefined;
}

/** Downward API projection. */
export interface DownwardAPIProjection {
  /** Items. */
  items?: DownwardAPIVolumeFile[] | undefined;
}

/** Downward API volume file. */
export interface DownwardAPIVolumeFile {
  /** Path. */
  path?: string | undefined;
  /** Field ref. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** Resource field ref. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** Mode. */
  mode?: number | undefined;
}

/** Downward API volume source. */
export interface DownwardAPIVolumeSource {
  /** Items. */
  items?: DownwardAPIVolumeFile[] | undefined;
  /** Default mode. */
  defaultMode?: number | undefined;
}

/** Empty dir volume source. */
export interface EmptyDirVolumeSource {
  /** Medium. */
  medium?: string | undefined;
  /** Size limit. */
  sizeLimit?: string | undefined;
}

/** Endpoint address. */
export interface EndpointAddress {
  /** Ip. */
  ip?: string | undefined;
  /** Target ref. */
  targetRef?: ObjectReference | undefined;
  /** Hostname. */
  hostname?: string | undefined;
  /** Node name. */
  nodeName?: string | undefined;
}

/** Endpoint port. */
export interface EndpointPort {
  /** Name. */
  name?: string | undefined;
  /** Port. */
  port?: number | undefined;
  /** Protocol. */
  protocol?: string | undefined;
  /** App protocol. */
  appProtocol?: string | undefined;
}

/** Endpoint subset. */
export interface EndpointSubset {
  /** Addresses. */
  addresses?: EndpointAddress[] | undefined;
  /** Not ready addresses. */
  notReadyAddresses?: EndpointAddress[] | undefined;
  /** Ports. */
  ports?: EndpointPort[] | undefined;
}

/** Endpoints. */
export interface Endpoints {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Subsets. */
  subsets?: EndpointSubset[] | undefined;
}

/** Endpoints list. */
export interface EndpointsList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Endpoints[] | null | undefined;
}

/** Env from source. */
export interface EnvFromSource {
  /** Prefix. */
  prefix?: string | undefined;
  /** Config map ref. */
  configMapRef?: ConfigMapEnvSource | undefined;
  /** Secret ref. */
  secretRef?: SecretEnvSource | undefined;
}

/** Env var. */
export interface EnvVar {
  /** Name. */
  name?: string | undefined;
  /** Value. */
  value?: string | undefined;
  /** Value from. */
  valueFrom?: EnvVarSource | undefined;
}

/** Env var source. */
export interface EnvVarSource {
  /** Field ref. */
  fieldRef?: ObjectFieldSelector | undefined;
  /** Resource field ref. */
  resourceFieldRef?: ResourceFieldSelector | undefined;
  /** Config map key ref. */
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  /** Secret key ref. */
  secretKeyRef?: SecretKeySelector | undefined;
}

/** Ephemeral container. */
export interface EphemeralContainer {
  /** Name. */
  name?: string | undefined;
  /** Image. */
  image?: string | undefined;
  /** Command. */
  command?: string[] | undefined;
  /** Args. */
  args?: string[] | undefined;
  /** Working dir. */
  workingDir?: string | undefined;
  /** Ports. */
  ports?: ContainerPort[] | undefined;
  /** Env. */
  env?: EnvVar[] | undefined;
  /** Resources. */
  resources?: ResourceRequirements | undefined;
  /** Volume mounts. */
  volumeMounts?: VolumeMount[] | undefined;
  /** Liveness probe. */
  livenessProbe?: Probe | undefined;
  /** Readiness probe. */
  readinessProbe?: Probe | undefined;
  /** Lifecycle. */
  lifecycle?: Lifecycle | undefined;
  /** Termination message path. */
  terminationMessagePath?: string | undefined;
  /** Image pull policy. */
  imagePullPolicy?: string | undefined;
  /** Security context. */
  securityContext?: SecurityContext | undefined;
  /** Stdin. */
  stdin?: boolean | undefined;
  /** Stdin once. */
  stdinOnce?: boolean | undefined;
  /** Tty. */
  tty?: boolean | undefined;
  /** Env from. */
  envFrom?: EnvFromSource[] | undefined;
  /** Termination message policy. */
  terminationMessagePolicy?: string | undefined;
  /** Volume devices. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** Startup probe. */
  startupProbe?: Probe | undefined;
  /** Target container name. */
  targetContainerName?: string | undefined;
}

/** Ephemeral container common. */
export interface EphemeralContainerCommon {
  /** Name. */
  name?: string | undefined;
  /** Image. */
  image?: string | undefined;
  /** Command. */
  command?: string[] | undefined;
  /** Args. */
  args?: string[] | undefined;
  /** Working dir. */
  workingDir?: string | undefined;
  /** Ports. */
  ports?: ContainerPort[] | undefined;
  /** Env. */
  env?: EnvVar[] | undefined;
  /** Resources. */
  resources?: ResourceRequirements | undefined;
  /** Volume mounts. */
  volumeMounts?: VolumeMount[] | undefined;
  /** Liveness probe. */
  livenessProbe?: Probe | undefined;
  /** Readiness probe. */
  readinessProbe?: Probe | undefined;
  /** Lifecycle. */
  lifecycle?: Lifecycle | undefined;
  /** Termination message path. */
  terminationMessagePath?: string | undefined;
  /** Image pull policy. */
  imagePullPolicy?: string | undefined;
  /** Security context. */
  securityContext?: SecurityContext | undefined;
  /** Stdin. */
  stdin?: boolean | undefined;
  /** Stdin once. */
  stdinOnce?: boolean | undefined;
  /** Tty. */
  tty?: boolean | undefined;
  /** Env from. */
  envFrom?: EnvFromSource[] | undefined;
  /** Termination message policy. */
  terminationMessagePolicy?: string | undefined;
  /** Volume devices. */
  volumeDevices?: VolumeDevice[] | undefined;
  /** Startup probe. */
  startupProbe?: Probe | undefined;
}

/** Ephemeral containers. */
export interface EphemeralContainers {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Ephemeral containers. */
  ephemeralContainers?: EphemeralContainer[] | null | undefined;
}

/** Ephemeral volume source. */
export interface EphemeralVolumeSource {
  /** Volume claim template. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}

/** Event. */
export interface Event {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Involved object. */
  involvedObject?: ObjectReference | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Source. */
  source?: EventSource | undefined;
  /** First timestamp. */
  firstTimestamp?: string | null | undefined;
  /** Last timestamp. */
  lastTimestamp?: string | null | undefined;
  /** Count. */
  count?: number | undefined;
  /** Type. */
  type?: string | undefined;
  /** Event time. */
  eventTime?: string | null | undefined;
  /** Series. */
  series?: EventSeries | undefined;
  /** Action. */
  action?: string | undefined;
  /** Related. */
  related?: ObjectReference | undefined;
  /** Reporting component. */
  reportingComponent?: string | undefined;
  /** Reporting instance. */
  reportingInstance?: string | undefined;
}

/** Event list. */
export interface EventList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Event[] | null | undefined;
}

/** Event series. */
export interface EventSeries {
  /** Count. */
  count?: number | undefined;
  /** Last observed time. */
  lastObservedTime?: string | null | undefined;
}

/** Event source. */
export interface EventSource {
  /** Component. */
  component?: string | undefined;
  /** Host. */
  host?: string | undefined;
}

/** Exec action. */
export interface ExecAction {
  /** Command. */
  command?: string[] | undefined;
}

/** FC volume source. */
export interface FCVolumeSource {
  /** Target WW ns. */
  targetWWNs?: string[] | undefined;
  /** Lun. */
  lun?: number | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Wwids. */
  wwids?: string[] | undefined;
}

/** Flex persistent volume source. */
export interface FlexPersistentVolumeSource {
  /** Driver. */
  driver?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Options. */
  options?: Record<string, string> | undefined;
}

/** Flex volume source. */
export interface FlexVolumeSource {
  /** Driver. */
  driver?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Options. */
  options?: Record<string, string> | undefined;
}

/** Flocker volume source. */
export interface FlockerVolumeSource {
  /** Dataset name. */
  datasetName?: string | undefined;
  /** Dataset UUID. */
  datasetUUID?: string | undefined;
}

/** GCE persistent disk volume source. */
export interface GCEPersistentDiskVolumeSource {
  /** Pd name. */
  pdName?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Partition. */
  partition?: number | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Git repo volume source. */
export interface GitRepoVolumeSource {
  /** Repository. */
  repository?: string | undefined;
  /** Revision. */
  revision?: string | undefined;
  /** Directory. */
  directory?: string | undefined;
}

/** Glusterfs persistent volume source. */
export interface GlusterfsPersistentVolumeSource {
  /** Endpoints. */
  endpoints?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Endpoints namespace. */
  endpointsNamespace?: string | undefined;
}

/** Glusterfs volume source. */
export interface GlusterfsVolumeSource {
  /** Endpoints. */
  endpoints?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** HTTP get action. */
export interface HTTPGetAction {
  /** Path. */
  path?: string | undefined;
  /** Port. */
  port?: number | string | undefined;
  /** Host. */
  host?: string | undefined;
  /** Scheme. */
  scheme?: string | undefined;
  /** Http headers. */
  httpHeaders?: HTTPHeader[] | undefined;
}

/** HTTP header. */
export interface HTTPHeader {
  /** Name. */
  name?: string | undefined;
  /** Value. */
  value?: string | undefined;
}

/** Handler. */
export interface Handler {
  /** Exec. */
  exec?: ExecAction | undefined;
  /** Http get. */
  httpGet?: HTTPGetAction | undefined;
  /** Tcp socket. */
  tcpSocket?: TCPSocketAction | undefined;
}

/** Host alias. */
export interface HostAlias {
  /** Ip. */
  ip?: string | undefined;
  /** Hostnames. */
  hostnames?: string[] | undefined;
}

/** Host path volume source. */
export interface HostPathVolumeSource {
  /** Path. */
  path?: string | undefined;
  /** Type. */
  type?: string | undefined;
}

/** ISCSI persistent volume source. */
export interface ISCSIPersistentVolumeSource {
  /** Target portal. */
  targetPortal?: string | undefined;
  /** Iqn. */
  iqn?: string | undefined;
  /** Lun. */
  lun?: number | undefined;
  /** Iscsi interface. */
  iscsiInterface?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Portals. */
  portals?: string[] | undefined;
  /** Chap auth discovery. */
  chapAuthDiscovery?: boolean | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | undefined;
  /** Chap auth session. */
  chapAuthSession?: boolean | undefined;
  /** Initiator name. */
  initiatorName?: string | undefined;
}

/** ISCSI volume source. */
export interface ISCSIVolumeSource {
  /** Target portal. */
  targetPortal?: string | undefined;
  /** Iqn. */
  iqn?: string | undefined;
  /** Lun. */
  lun?: number | undefined;
  /** Iscsi interface. */
  iscsiInterface?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Portals. */
  portals?: string[] | undefined;
  /** Chap auth discovery. */
  chapAuthDiscovery?: boolean | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
  /** Chap auth session. */
  chapAuthSession?: boolean | undefined;
  /** Initiator name. */
  initiatorName?: string | undefined;
}

/** Key to path. */
export interface KeyToPath {
  /** Key. */
  key?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Mode. */
  mode?: number | undefined;
}

/** Lifecycle. */
export interface Lifecycle {
  /** Post start. */
  postStart?: Handler | undefined;
  /** Pre stop. */
  preStop?: Handler | undefined;
}

/** Limit range. */
export interface LimitRange {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: LimitRangeSpec | undefined;
}

/** Limit range item. */
export interface LimitRangeItem {
  /** Type. */
  type?: string | undefined;
  /** Max. */
  max?: Record<string, string> | undefined;
  /** Min. */
  min?: Record<string, string> | undefined;
  /** Default. */
  default?: Record<string, string> | undefined;
  /** Default request. */
  defaultRequest?: Record<string, string> | undefined;
  /** Max limit request ratio. */
  maxLimitRequestRatio?: Record<string, string> | undefined;
}

/** Limit range list. */
export interface LimitRangeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: LimitRange[] | null | undefined;
}

/** Limit range spec. */
export interface LimitRangeSpec {
  /** Limits. */
  limits?: LimitRangeItem[] | null | undefined;
}

/** List. */
export interface List {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: JsonValue[] | null | undefined;
}

/** Load balancer ingress. */
export interface LoadBalancerIngress {
  /** Ip. */
  ip?: string | undefined;
  /** Hostname. */
  hostname?: string | undefined;
  /** Ports. */
  ports?: PortStatus[] | undefined;
}

/** Load balancer status. */
export interface LoadBalancerStatus {
  /** Ingress. */
  ingress?: LoadBalancerIngress[] | undefined;
}

/** Local object reference. */
export interface LocalObjectReference {
  /** Name. */
  name?: string | undefined;
}

/** Local volume source. */
export interface LocalVolumeSource {
  /** Path. */
  path?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
}

/** NFS volume source. */
export interface NFSVolumeSource {
  /** Server. */
  server?: string | undefined;
  /** Path. */
  path?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Namespace. */
export interface Namespace {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: NamespaceSpec | undefined;
  /** Status. */
  status?: NamespaceStatus | undefined;
}

/** Namespace condition. */
export interface NamespaceCondition {
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

/** Namespace list. */
export interface NamespaceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Namespace[] | null | undefined;
}

/** Namespace spec. */
export interface NamespaceSpec {
  /** Finalizers. */
  finalizers?: string[] | undefined;
}

/** Namespace status. */
export interface NamespaceStatus {
  /** Phase. */
  phase?: string | undefined;
  /** Conditions. */
  conditions?: NamespaceCondition[] | undefined;
}

/** Node. */
export interface Node {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: NodeSpec | undefined;
  /** Status. */
  status?: NodeStatus | undefined;
}

/** Node address. */
export interface NodeAddress {
  /** Type. */
  type?: string | undefined;
  /** Address. */
  address?: string | undefined;
}

/** Node affinity. */
export interface NodeAffinity {
  /** Required during scheduling ignored during execution. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  /** Preferred during scheduling ignored during execution. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
}

/** Node condition. */
export interface NodeCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last heartbeat time. */
  lastHeartbeatTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Node config source. */
export interface NodeConfigSource {
  /** Config map. */
  configMap?: ConfigMapNodeConfigSource | undefined;
}

/** Node config status. */
export interface NodeConfigStatus {
  /** Assigned. */
  assigned?: NodeConfigSource | undefined;
  /** Active. */
  active?: NodeConfigSource | undefined;
  /** Last known good. */
  lastKnownGood?: NodeConfigSource | undefined;
  /** Error. */
  error?: string | undefined;
}

/** Node daemon endpoints. */
export interface NodeDaemonEndpoints {
  /** Kubelet endpoint. */
  kubeletEndpoint?: DaemonEndpoint | undefined;
}

/** Node list. */
export interface NodeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Node[] | null | undefined;
}

/** Node proxy options. */
export interface NodeProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path. */
  path?: string | undefined;
}

/** Node resources. */
export interface NodeResources {
  /** Capacity. */
  Capacity?: Record<string, string> | null | undefined;
}

/** Node selector. */
export interface NodeSelector {
  /** Node selector terms. */
  nodeSelectorTerms?: NodeSelectorTerm[] | null | undefined;
}

/** Node selector requirement. */
export interface NodeSelectorRequirement {
  /** Key. */
  key?: string | undefined;
  /** Operator. */
  operator?: string | undefined;
  /** Values. */
  values?: string[] | undefined;
}

/** Node selector term. */
export interface NodeSelectorTerm {
  /** Match expressions. */
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  /** Match fields. */
  matchFields?: NodeSelectorRequirement[] | undefined;
}

/** Node spec. */
export interface NodeSpec {
  /** Pod CIDR. */
  podCIDR?: string | undefined;
  /** External ID. */
  externalID?: string | undefined;
  /** Provider ID. */
  providerID?: string | undefined;
  /** Unschedulable. */
  unschedulable?: boolean | undefined;
  /** Taints. */
  taints?: Taint[] | undefined;
  /** Config source. */
  configSource?: NodeConfigSource | undefined;
  /** Pod CID rs. */
  podCIDRs?: string[] | undefined;
}

/** Node status. */
export interface NodeStatus {
  /** Capacity. */
  capacity?: Record<string, string> | undefined;
  /** Allocatable. */
  allocatable?: Record<string, string> | undefined;
  /** Phase. */
  phase?: string | undefined;
  /** Conditions. */
  conditions?: NodeCondition[] | undefined;
  /** Addresses. */
  addresses?: NodeAddress[] | undefined;
  /** Daemon endpoints. */
  daemonEndpoints?: NodeDaemonEndpoints | undefined;
  /** Node info. */
  nodeInfo?: NodeSystemInfo | undefined;
  /** Images. */
  images?: ContainerImage[] | undefined;
  /** Volumes in use. */
  volumesInUse?: string[] | undefined;
  /** Volumes attached. */
  volumesAttached?: AttachedVolume[] | undefined;
  /** Config. */
  config?: NodeConfigStatus | undefined;
}

/** Node system info. */
export interface NodeSystemInfo {
  /** Machine ID. */
  machineID?: string | undefined;
  /** System UUID. */
  systemUUID?: string | undefined;
  /** Boot ID. */
  bootID?: string | undefined;
  /** Kernel version. */
  kernelVersion?: string | undefined;
  /** Os image. */
  osImage?: string | undefined;
  /** Container runtime version. */
  containerRuntimeVersion?: string | undefined;
  /** Kubelet version. */
  kubeletVersion?: string | undefined;
  /** Kube proxy version. */
  kubeProxyVersion?: string | undefined;
  /** Operating system. */
  operatingSystem?: string | undefined;
  /** Architecture. */
  architecture?: string | undefined;
}

/** Object field selector. */
export interface ObjectFieldSelector {
  /** Api version. */
  apiVersion?: string | undefined;
  /** Field path. */
  fieldPath?: string | undefined;
}

/** Object reference. */
export interface ObjectReference {
  /** Kind. */
  kind?: string | undefined;
  /** Namespace. */
  namespace?: string | undefined;
  /** Name. */
  name?: string | undefined;
  /** Uid. */
  uid?: string | undefined;
  /** Api version. */
  apiVersion?: string | undefined;
  /** Resource version. */
  resourceVersion?: string | undefined;
  /** Field path. */
  fieldPath?: string | undefined;
}

/** Persistent volume. */
export interface PersistentVolume {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PersistentVolumeSpec | undefined;
  /** Status. */
  status?: PersistentVolumeStatus | undefined;
}

/** Persistent volume claim. */
export interface PersistentVolumeClaim {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PersistentVolumeClaimSpec | undefined;
  /** Status. */
  status?: PersistentVolumeClaimStatus | undefined;
}

/** Persistent volume claim condition. */
export interface PersistentVolumeClaimCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last probe time. */
  lastProbeTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Persistent volume claim list. */
export interface PersistentVolumeClaimList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PersistentVolumeClaim[] | null | undefined;
}

/** Persistent volume claim spec. */
export interface PersistentVolumeClaimSpec {
  /** Access modes. */
  accessModes?: string[] | undefined;
  /** Resources. */
  resources?: ResourceRequirements | undefined;
  /** Volume name. */
  volumeName?: string | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Storage class name. */
  storageClassName?: string | undefined;
  /** Volume mode. */
  volumeMode?: string | undefined;
  /** Data source. */
  dataSource?: TypedLocalObjectReference | undefined;
}

/** Persistent volume claim status. */
export interface PersistentVolumeClaimStatus {
  /** Phase. */
  phase?: string | undefined;
  /** Access modes. */
  accessModes?: string[] | undefined;
  /** Capacity. */
  capacity?: Record<string, string> | undefined;
  /** Conditions. */
  conditions?: PersistentVolumeClaimCondition[] | undefined;
}

/** Persistent volume claim template. */
export interface PersistentVolumeClaimTemplate {
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PersistentVolumeClaimSpec | undefined;
}

/** Persistent volume claim volume source. */
export interface PersistentVolumeClaimVolumeSource {
  /** Claim name. */
  claimName?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Persistent volume list. */
export interface PersistentVolumeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PersistentVolume[] | null | undefined;
}

/** Persistent volume source. */
export interface PersistentVolumeSource {
  /** Gce persistent disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** Aws elastic block store. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** Host path. */
  hostPath?: HostPathVolumeSource | undefined;
  /** Glusterfs. */
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  /** Nfs. */
  nfs?: NFSVolumeSource | undefined;
  /** Rbd. */
  rbd?: RBDPersistentVolumeSource | undefined;
  /** Iscsi. */
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  /** Cinder. */
  cinder?: CinderPersistentVolumeSource | undefined;
  /** Cephfs. */
  cephfs?: CephFSPersistentVolumeSource | undefined;
  /** Fc. */
  fc?: FCVolumeSource | undefined;
  /** Flocker. */
  flocker?: FlockerVolumeSource | undefined;
  /** Flex volume. */
  flexVolume?: FlexPersistentVolumeSource | undefined;
  /** Azure file. */
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  /** Vsphere volume. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** Quobyte. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** Photon persistent disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** Scale IO. */
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  /** Local. */
  local?: LocalVolumeSource | undefined;
  /** Storageos. */
  storageos?: StorageOSPersistentVolumeSource | undefined;
  /** Csi. */
  csi?: CSIPersistentVolumeSource | undefined;
}

/** Persistent volume spec. */
export interface PersistentVolumeSpec {
  /** Capacity. */
  capacity?: Record<string, string> | undefined;
  /** Gce persistent disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** Aws elastic block store. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** Host path. */
  hostPath?: HostPathVolumeSource | undefined;
  /** Glusterfs. */
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  /** Nfs. */
  nfs?: NFSVolumeSource | undefined;
  /** Rbd. */
  rbd?: RBDPersistentVolumeSource | undefined;
  /** Iscsi. */
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  /** Cinder. */
  cinder?: CinderPersistentVolumeSource | undefined;
  /** Cephfs. */
  cephfs?: CephFSPersistentVolumeSource | undefined;
  /** Fc. */
  fc?: FCVolumeSource | undefined;
  /** Flocker. */
  flocker?: FlockerVolumeSource | undefined;
  /** Flex volume. */
  flexVolume?: FlexPersistentVolumeSource | undefined;
  /** Azure file. */
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  /** Vsphere volume. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** Quobyte. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** Photon persistent disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** Scale IO. */
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  /** Local. */
  local?: LocalVolumeSource | undefined;
  /** Storageos. */
  storageos?: StorageOSPersistentVolumeSource | undefined;
  /** Csi. */
  csi?: CSIPersistentVolumeSource | undefined;
  /** Access modes. */
  accessModes?: string[] | undefined;
  /** Claim ref. */
  claimRef?: ObjectReference | undefined;
  /** Persistent volume reclaim policy. */
  persistentVolumeReclaimPolicy?: string | undefined;
  /** Storage class name. */
  storageClassName?: string | undefined;
  /** Mount options. */
  mountOptions?: string[] | undefined;
  /** Volume mode. */
  volumeMode?: string | undefined;
  /** Node affinity. */
  nodeAffinity?: VolumeNodeAffinity | undefined;
}

/** Persistent volume status. */
export interface PersistentVolumeStatus {
  /** Phase. */
  phase?: string | undefined;
  /** Message. */
  message?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
}

/** Photon persistent disk volume source. */
export interface PhotonPersistentDiskVolumeSource {
  /** Pd ID. */
  pdID?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
}

/** Pod. */
export interface Pod {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PodSpec | undefined;
  /** Status. */
  status?: PodStatus | undefined;
}

/** Pod affinity. */
export interface PodAffinity {
  /** Required during scheduling ignored during execution. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Preferred during scheduling ignored during execution. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

/** Pod affinity term. */
export interface PodAffinityTerm {
  /** Label selector. */
  labelSelector?: LabelSelector | undefined;
  /** Namespaces. */
  namespaces?: string[] | undefined;
  /** Topology key. */
  topologyKey?: string | undefined;
  /** Namespace selector. */
  namespaceSelector?: LabelSelector | undefined;
}

/** Pod anti affinity. */
export interface PodAntiAffinity {
  /** Required during scheduling ignored during execution. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  /** Preferred during scheduling ignored during execution. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

/** Pod attach options. */
export interface PodAttachOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Stdin. */
  stdin?: boolean | undefined;
  /** Stdout. */
  stdout?: boolean | undefined;
  /** Stderr. */
  stderr?: boolean | undefined;
  /** Tty. */
  tty?: boolean | undefined;
  /** Container. */
  container?: string | undefined;
}

/** Pod condition. */
export interface PodCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last probe time. */
  lastProbeTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Pod DNS config. */
export interface PodDNSConfig {
  /** Nameservers. */
  nameservers?: string[] | undefined;
  /** Searches. */
  searches?: string[] | undefined;
  /** Options. */
  options?: PodDNSConfigOption[] | undefined;
}

/** Pod DNS config option. */
export interface PodDNSConfigOption {
  /** Name. */
  name?: string | undefined;
  /** Value. */
  value?: string | undefined;
}

/** Pod exec options. */
export interface PodExecOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Stdin. */
  stdin?: boolean | undefined;
  /** Stdout. */
  stdout?: boolean | undefined;
  /** Stderr. */
  stderr?: boolean | undefined;
  /** Tty. */
  tty?: boolean | undefined;
  /** Container. */
  container?: string | undefined;
  /** Command. */
  command?: string[] | null | undefined;
}

/** Pod IP. */
export interface PodIP {
  /** Ip. */
  ip?: string | undefined;
}

/** Pod list. */
export interface PodList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Pod[] | null | undefined;
}

/** Pod log options. */
export interface PodLogOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Container. */
  container?: string | undefined;
  /** Follow. */
  follow?: boolean | undefined;
  /** Previous. */
  previous?: boolean | undefined;
  /** Since seconds. */
  sinceSeconds?: number | undefined;
  /** Since time. */
  sinceTime?: string | null | undefined;
  /** Timestamps. */
  timestamps?: boolean | undefined;
  /** Tail lines. */
  tailLines?: number | undefined;
  /** Limit bytes. */
  limitBytes?: number | undefined;
  /** Insecure skip TLS verify backend. */
  insecureSkipTLSVerifyBackend?: boolean | undefined;
}

/** Pod port forward options. */
export interface PodPortForwardOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Ports. */
  ports?: number[] | undefined;
}

/** Pod proxy options. */
export interface PodProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path. */
  path?: string | undefined;
}

/** Pod readiness gate. */
export interface PodReadinessGate {
  /** Condition type. */
  conditionType?: string | undefined;
}

/** Pod security context. */
export interface PodSecurityContext {
  /** Se linux options. */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** Run as user. */
  runAsUser?: number | undefined;
  /** Run as non root. */
  runAsNonRoot?: boolean | undefined;
  /** Supplemental groups. */
  supplementalGroups?: number[] | undefined;
  /** Fs group. */
  fsGroup?: number | undefined;
  /** Run as group. */
  runAsGroup?: number | undefined;
  /** Sysctls. */
  sysctls?: Sysctl[] | undefined;
  /** Windows options. */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** Fs group change policy. */
  fsGroupChangePolicy?: string | undefined;
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile | undefined;
}

/** Pod signature. */
export interface PodSignature {
  /** Pod controller. */
  podController?: OwnerReference | undefined;
}

/** Pod spec. */
export interface PodSpec {
  /** Volumes. */
  volumes?: Volume[] | undefined;
  /** Containers. */
  containers?: Container[] | null | undefined;
  /** Restart policy. */
  restartPolicy?: string | undefined;
  /** Termination grace period seconds. */
  terminationGracePeriodSeconds?: number | undefined;
  /** Active deadline seconds. */
  activeDeadlineSeconds?: number | undefined;
  /** Dns policy. */
  dnsPolicy?: string | undefined;
  /** Node selector. */
  nodeSelector?: Record<string, string> | undefined;
  /** Service account name. */
  serviceAccountName?: string | undefined;
  /** Service account. */
  serviceAccount?: string | undefined;
  /** Node name. */
  nodeName?: string | undefined;
  /** Host network. */
  hostNetwork?: boolean | undefined;
  /** Host PID. */
  hostPID?: boolean | undefined;
  /** Host IPC. */
  hostIPC?: boolean | undefined;
  /** Security context. */
  securityContext?: PodSecurityContext | undefined;
  /** Image pull secrets. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Hostname. */
  hostname?: string | undefined;
  /** Subdomain. */
  subdomain?: string | undefined;
  /** Affinity. */
  affinity?: Affinity | undefined;
  /** Scheduler name. */
  schedulerName?: string | undefined;
  /** Init containers. */
  initContainers?: Container[] | undefined;
  /** Automount service account token. */
  automountServiceAccountToken?: boolean | undefined;
  /** Tolerations. */
  tolerations?: Toleration[] | undefined;
  /** Host aliases. */
  hostAliases?: HostAlias[] | undefined;
  /** Priority class name. */
  priorityClassName?: string | undefined;
  /** Priority. */
  priority?: number | undefined;
  /** Dns config. */
  dnsConfig?: PodDNSConfig | undefined;
  /** Share process namespace. */
  shareProcessNamespace?: boolean | undefined;
  /** Readiness gates. */
  readinessGates?: PodReadinessGate[] | undefined;
  /** Runtime class name. */
  runtimeClassName?: string | undefined;
  /** Enable service links. */
  enableServiceLinks?: boolean | undefined;
  /** Preemption policy. */
  preemptionPolicy?: string | undefined;
  /** Overhead. */
  overhead?: Record<string, string> | undefined;
  /** Topology spread constraints. */
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  /** Ephemeral containers. */
  ephemeralContainers?: EphemeralContainer[] | undefined;
  /** Set hostname as FQDN. */
  setHostnameAsFQDN?: boolean | undefined;
}

/** Pod status. */
export interface PodStatus {
  /** Phase. */
  phase?: string | undefined;
  /** Conditions. */
  conditions?: PodCondition[] | undefined;
  /** Message. */
  message?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Host IP. */
  hostIP?: string | undefined;
  /** Pod IP. */
  podIP?: string | undefined;
  /** Start time. */
  startTime?: string | null | undefined;
  /** Container statuses. */
  containerStatuses?: ContainerStatus[] | undefined;
  /** Qos class. */
  qosClass?: string | undefined;
  /** Init container statuses. */
  initContainerStatuses?: ContainerStatus[] | undefined;
  /** Nominated node name. */
  nominatedNodeName?: string | undefined;
  /** Pod I ps. */
  podIPs?: PodIP[] | undefined;
  /** Ephemeral container statuses. */
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
}

/** Pod status result. */
export interface PodStatusResult {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Status. */
  status?: PodStatus | undefined;
}

/** Pod template. */
export interface PodTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
}

/** Pod template list. */
export interface PodTemplateList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: PodTemplate[] | null | undefined;
}

/** Pod template spec. */
export interface PodTemplateSpec {
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: PodSpec | undefined;
}

/** Port status. */
export interface PortStatus {
  /** Port. */
  port?: number | undefined;
  /** Protocol. */
  protocol?: string | undefined;
  /** Error. */
  error?: string | undefined;
}

/** Portworx volume source. */
export interface PortworxVolumeSource {
  /** Volume ID. */
  volumeID?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Preconditions. */
export interface Preconditions {
  /** Uid. */
  uid?: string | undefined;
}

/** Prefer avoid pods entry. */
export interface PreferAvoidPodsEntry {
  /** Pod signature. */
  podSignature?: PodSignature | undefined;
  /** Eviction time. */
  evictionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Preferred scheduling term. */
export interface PreferredSchedulingTerm {
  /** Weight. */
  weight?: number | undefined;
  /** Preference. */
  preference?: NodeSelectorTerm | undefined;
}

/** Probe. */
export interface Probe {
  /** Exec. */
  exec?: ExecAction | undefined;
  /** Http get. */
  httpGet?: HTTPGetAction | undefined;
  /** Tcp socket. */
  tcpSocket?: TCPSocketAction | undefined;
  /** Initial delay seconds. */
  initialDelaySeconds?: number | undefined;
  /** Timeout seconds. */
  timeoutSeconds?: number | undefined;
  /** Period seconds. */
  periodSeconds?: number | undefined;
  /** Success threshold. */
  successThreshold?: number | undefined;
  /** Failure threshold. */
  failureThreshold?: number | undefined;
  /** Termination grace period seconds. */
  terminationGracePeriodSeconds?: number | undefined;
}

/** Projected volume source. */
export interface ProjectedVolumeSource {
  /** Sources. */
  sources?: VolumeProjection[] | null | undefined;
  /** Default mode. */
  defaultMode?: number | undefined;
}

/** Quobyte volume source. */
export interface QuobyteVolumeSource {
  /** Registry. */
  registry?: string | undefined;
  /** Volume. */
  volume?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** User. */
  user?: string | undefined;
  /** Group. */
  group?: string | undefined;
  /** Tenant. */
  tenant?: string | undefined;
}

/** RBD persistent volume source. */
export interface RBDPersistentVolumeSource {
  /** Monitors. */
  monitors?: string[] | null | undefined;
  /** Image. */
  image?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Pool. */
  pool?: string | undefined;
  /** User. */
  user?: string | undefined;
  /** Keyring. */
  keyring?: string | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** RBD volume source. */
export interface RBDVolumeSource {
  /** Monitors. */
  monitors?: string[] | null | undefined;
  /** Image. */
  image?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Pool. */
  pool?: string | undefined;
  /** User. */
  user?: string | undefined;
  /** Keyring. */
  keyring?: string | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Range allocation. */
export interface RangeAllocation {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Range. */
  range?: string | undefined;
  /** Data. */
  data?: string | undefined;
}

/** Replication controller. */
export interface ReplicationController {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ReplicationControllerSpec | undefined;
  /** Status. */
  status?: ReplicationControllerStatus | undefined;
}

/** Replication controller condition. */
export interface ReplicationControllerCondition {
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

/** Replication controller list. */
export interface ReplicationControllerList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ReplicationController[] | null | undefined;
}

/** Replication controller spec. */
export interface ReplicationControllerSpec {
  /** Replicas. */
  replicas?: number | undefined;
  /** Selector. */
  selector?: Record<string, string> | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Min ready seconds. */
  minReadySeconds?: number | undefined;
}

/** Replication controller status. */
export interface ReplicationControllerStatus {
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
  conditions?: ReplicationControllerCondition[] | undefined;
}

/** Resource field selector. */
export interface ResourceFieldSelector {
  /** Container name. */
  containerName?: string | undefined;
  /** Resource. */
  resource?: string | undefined;
  /** Divisor. */
  divisor?: string | undefined;
}

/** Resource quota. */
export interface ResourceQuota {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ResourceQuotaSpec | undefined;
  /** Status. */
  status?: ResourceQuotaStatus | undefined;
}

/** Resource quota list. */
export interface ResourceQuotaList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ResourceQuota[] | null | undefined;
}

/** Resource quota spec. */
export interface ResourceQuotaSpec {
  /** Hard. */
  hard?: Record<string, string> | undefined;
  /** Scopes. */
  scopes?: string[] | undefined;
  /** Scope selector. */
  scopeSelector?: ScopeSelector | undefined;
}

/** Resource quota status. */
export interface ResourceQuotaStatus {
  /** Hard. */
  hard?: Record<string, string> | undefined;
  /** Used. */
  used?: Record<string, string> | undefined;
}

/** Resource requirements. */
export interface ResourceRequirements {
  /** Limits. */
  limits?: Record<string, string> | undefined;
  /** Requests. */
  requests?: Record<string, string> | undefined;
}

/** SE linux options. */
export interface SELinuxOptions {
  /** User. */
  user?: string | undefined;
  /** Role. */
  role?: string | undefined;
  /** Type. */
  type?: string | undefined;
  /** Level. */
  level?: string | undefined;
}

/** Scale IO persistent volume source. */
export interface ScaleIOPersistentVolumeSource {
  /** Gateway. */
  gateway?: string | undefined;
  /** System. */
  system?: string | undefined;
  /** Secret ref. */
  secretRef?: SecretReference | null | undefined;
  /** Ssl enabled. */
  sslEnabled?: boolean | undefined;
  /** Protection domain. */
  protectionDomain?: string | undefined;
  /** Storage pool. */
  storagePool?: string | undefined;
  /** Storage mode. */
  storageMode?: string | undefined;
  /** Volume name. */
  volumeName?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Scale IO volume source. */
export interface ScaleIOVolumeSource {
  /** Gateway. */
  gateway?: string | undefined;
  /** System. */
  system?: string | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | null | undefined;
  /** Ssl enabled. */
  sslEnabled?: boolean | undefined;
  /** Protection domain. */
  protectionDomain?: string | undefined;
  /** Storage pool. */
  storagePool?: string | undefined;
  /** Storage mode. */
  storageMode?: string | undefined;
  /** Volume name. */
  volumeName?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
}

/** Scope selector. */
export interface ScopeSelector {
  /** Match expressions. */
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}

/** Scoped resource selector requirement. */
export interface ScopedResourceSelectorRequirement {
  /** Scope name. */
  scopeName?: string | undefined;
  /** Operator. */
  operator?: string | undefined;
  /** Values. */
  values?: string[] | undefined;
}

/** Seccomp profile. */
export interface SeccompProfile {
  /** Type. */
  type?: string | undefined;
  /** Localhost profile. */
  localhostProfile?: string | undefined;
}

/** Secret. */
export interface Secret {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Data. */
  data?: Record<string, string> | undefined;
  /** Type. */
  type?: string | undefined;
  /** String data. */
  stringData?: Record<string, string> | undefined;
  /** Immutable. */
  immutable?: boolean | undefined;
}

/** Secret env source. */
export interface SecretEnvSource {
  /** Name. */
  name?: string | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Secret key selector. */
export interface SecretKeySelector {
  /** Name. */
  name?: string | undefined;
  /** Key. */
  key?: string | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Secret list. */
export interface SecretList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Secret[] | null | undefined;
}

/** Secret projection. */
export interface SecretProjection {
  /** Name. */
  name?: string | undefined;
  /** Items. */
  items?: KeyToPath[] | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Secret reference. */
export interface SecretReference {
  /** Name. */
  name?: string | undefined;
  /** Namespace. */
  namespace?: string | undefined;
}

/** Secret volume source. */
export interface SecretVolumeSource {
  /** Secret name. */
  secretName?: string | undefined;
  /** Items. */
  items?: KeyToPath[] | undefined;
  /** Default mode. */
  defaultMode?: number | undefined;
  /** Optional. */
  optional?: boolean | undefined;
}

/** Security context. */
export interface SecurityContext {
  /** Capabilities. */
  capabilities?: Capabilities | undefined;
  /** Privileged. */
  privileged?: boolean | undefined;
  /** Se linux options. */
  seLinuxOptions?: SELinuxOptions | undefined;
  /** Run as user. */
  runAsUser?: number | undefined;
  /** Run as non root. */
  runAsNonRoot?: boolean | undefined;
  /** Read only root filesystem. */
  readOnlyRootFilesystem?: boolean | undefined;
  /** Allow privilege escalation. */
  allowPrivilegeEscalation?: boolean | undefined;
  /** Run as group. */
  runAsGroup?: number | undefined;
  /** Proc mount. */
  procMount?: string | undefined;
  /** Windows options. */
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile | undefined;
}

/** Serialized reference. */
export interface SerializedReference {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Reference. */
  reference?: ObjectReference | undefined;
}

/** Service. */
export interface Service {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: ServiceSpec | undefined;
  /** Status. */
  status?: ServiceStatus | undefined;
}

/** Service account. */
export interface ServiceAccount {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Secrets. */
  secrets?: ObjectReference[] | undefined;
  /** Image pull secrets. */
  imagePullSecrets?: LocalObjectReference[] | undefined;
  /** Automount service account token. */
  automountServiceAccountToken?: boolean | undefined;
}

/** Service account list. */
export interface ServiceAccountList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: ServiceAccount[] | null | undefined;
}

/** Service account token projection. */
export interface ServiceAccountTokenProjection {
  /** Audience. */
  audience?: string | undefined;
  /** Expiration seconds. */
  expirationSeconds?: number | undefined;
  /** Path. */
  path?: string | undefined;
}

/** Service list. */
export interface ServiceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Service[] | null | undefined;
}

/** Service port. */
export interface ServicePort {
  /** Name. */
  name?: string | undefined;
  /** Protocol. */
  protocol?: string | undefined;
  /** Port. */
  port?: number | undefined;
  /** Target port. */
  targetPort?: number | string | undefined;
  /** Node port. */
  nodePort?: number | undefined;
  /** App protocol. */
  appProtocol?: string | undefined;
}

/** Service proxy options. */
export interface ServiceProxyOptions {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Path. */
  path?: string | undefined;
}

/** Service spec. */
export interface ServiceSpec {
  /** Ports. */
  ports?: ServicePort[] | undefined;
  /** Selector. */
  selector?: Record<string, string> | undefined;
  /** Cluster IP. */
  clusterIP?: string | undefined;
  /** Type. */
  type?: string | undefined;
  /** External I ps. */
  externalIPs?: string[] | undefined;
  /** Session affinity. */
  sessionAffinity?: string | undefined;
  /** Load balancer IP. */
  loadBalancerIP?: string | undefined;
  /** Load balancer source ranges. */
  loadBalancerSourceRanges?: string[] | undefined;
  /** External name. */
  externalName?: string | undefined;
  /** External traffic policy. */
  externalTrafficPolicy?: string | undefined;
  /** Health check node port. */
  healthCheckNodePort?: number | undefined;
  /** Publish not ready addresses. */
  publishNotReadyAddresses?: boolean | undefined;
  /** Session affinity config. */
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  /** Topology keys. */
  topologyKeys?: string[] | undefined;
  /** Ip family policy. */
  ipFamilyPolicy?: string | undefined;
  /** Cluster I ps. */
  clusterIPs?: string[] | undefined;
  /** Ip families. */
  ipFamilies?: string[] | undefined;
  /** Allocate load balancer node ports. */
  allocateLoadBalancerNodePorts?: boolean | undefined;
  /** Load balancer class. */
  loadBalancerClass?: string | undefined;
  /** Internal traffic policy. */
  internalTrafficPolicy?: string | undefined;
}

/** Service status. */
export interface ServiceStatus {
  /** Load balancer. */
  loadBalancer?: LoadBalancerStatus | undefined;
  /** Conditions. */
  conditions?: Condition[] | undefined;
}

/** Session affinity config. */
export interface SessionAffinityConfig {
  /** Client IP. */
  clientIP?: ClientIPConfig | undefined;
}

/** Storage OS persistent volume source. */
export interface StorageOSPersistentVolumeSource {
  /** Volume name. */
  volumeName?: string | undefined;
  /** Volume namespace. */
  volumeNamespace?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Secret ref. */
  secretRef?: ObjectReference | undefined;
}

/** Storage OS volume source. */
export interface StorageOSVolumeSource {
  /** Volume name. */
  volumeName?: string | undefined;
  /** Volume namespace. */
  volumeNamespace?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Secret ref. */
  secretRef?: LocalObjectReference | undefined;
}

/** Sysctl. */
export interface Sysctl {
  /** Name. */
  name?: string | undefined;
  /** Value. */
  value?: string | undefined;
}

/** TCP socket action. */
export interface TCPSocketAction {
  /** Port. */
  port?: number | string | undefined;
  /** Host. */
  host?: string | undefined;
}

/** Taint. */
export interface Taint {
  /** Key. */
  key?: string | undefined;
  /** Value. */
  value?: string | undefined;
  /** Effect. */
  effect?: string | undefined;
  /** Time added. */
  timeAdded?: string | null | undefined;
}

/** Toleration. */
export interface Toleration {
  /** Key. */
  key?: string | undefined;
  /** Operator. */
  operator?: string | undefined;
  /** Value. */
  value?: string | undefined;
  /** Effect. */
  effect?: string | undefined;
  /** Toleration seconds. */
  tolerationSeconds?: number | undefined;
}

/** Topology selector label requirement. */
export interface TopologySelectorLabelRequirement {
  /** Key. */
  key?: string | undefined;
  /** Values. */
  values?: string[] | null | undefined;
}

/** Topology selector term. */
export interface TopologySelectorTerm {
  /** Match label expressions. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}

/** Topology spread constraint. */
export interface TopologySpreadConstraint {
  /** Max skew. */
  maxSkew?: number | undefined;
  /** Topology key. */
  topologyKey?: string | undefined;
  /** When unsatisfiable. */
  whenUnsatisfiable?: string | undefined;
  /** Label selector. */
  labelSelector?: LabelSelector | undefined;
}

/** Typed local object reference. */
export interface TypedLocalObjectReference {
  /** Api group. */
  apiGroup?: string | undefined;
  /** Kind. */
  kind?: string | undefined;
  /** Name. */
  name?: string | undefined;
}

/** Volume. */
export interface Volume {
  /** Name. */
  name?: string | undefined;
  /** Host path. */
  hostPath?: HostPathVolumeSource | undefined;
  /** Empty dir. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  /** Gce persistent disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** Aws elastic block store. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** Git repo. */
  gitRepo?: GitRepoVolumeSource | undefined;
  /** Secret. */
  secret?: SecretVolumeSource | undefined;
  /** Nfs. */
  nfs?: NFSVolumeSource | undefined;
  /** Iscsi. */
  iscsi?: ISCSIVolumeSource | undefined;
  /** Glusterfs. */
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** Persistent volume claim. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  /** Rbd. */
  rbd?: RBDVolumeSource | undefined;
  /** Flex volume. */
  flexVolume?: FlexVolumeSource | undefined;
  /** Cinder. */
  cinder?: CinderVolumeSource | undefined;
  /** Cephfs. */
  cephfs?: CephFSVolumeSource | undefined;
  /** Flocker. */
  flocker?: FlockerVolumeSource | undefined;
  /** Downward API. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  /** Fc. */
  fc?: FCVolumeSource | undefined;
  /** Azure file. */
  azureFile?: AzureFileVolumeSource | undefined;
  /** Config map. */
  configMap?: ConfigMapVolumeSource | undefined;
  /** Vsphere volume. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** Quobyte. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** Photon persistent disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** Scale IO. */
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Projected. */
  projected?: ProjectedVolumeSource | undefined;
  /** Storageos. */
  storageos?: StorageOSVolumeSource | undefined;
  /** Csi. */
  csi?: CSIVolumeSource | undefined;
  /** Ephemeral. */
  ephemeral?: EphemeralVolumeSource | undefined;
}

/** Volume device. */
export interface VolumeDevice {
  /** Name. */
  name?: string | undefined;
  /** Device path. */
  devicePath?: string | undefined;
}

/** Volume mount. */
export interface VolumeMount {
  /** Name. */
  name?: string | undefined;
  /** Read only. */
  readOnly?: boolean | undefined;
  /** Mount path. */
  mountPath?: string | undefined;
  /** Sub path. */
  subPath?: string | undefined;
  /** Mount propagation. */
  mountPropagation?: string | undefined;
  /** Sub path expr. */
  subPathExpr?: string | undefined;
}

/** Volume node affinity. */
export interface VolumeNodeAffinity {
  /** Required. */
  required?: NodeSelector | undefined;
}

/** Volume projection. */
export interface VolumeProjection {
  /** Secret. */
  secret?: SecretProjection | undefined;
  /** Downward API. */
  downwardAPI?: DownwardAPIProjection | undefined;
  /** Config map. */
  configMap?: ConfigMapProjection | undefined;
  /** Service account token. */
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
}

/** Volume source. */
export interface VolumeSource {
  /** Host path. */
  hostPath?: HostPathVolumeSource | undefined;
  /** Empty dir. */
  emptyDir?: EmptyDirVolumeSource | undefined;
  /** Gce persistent disk. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  /** Aws elastic block store. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  /** Git repo. */
  gitRepo?: GitRepoVolumeSource | undefined;
  /** Secret. */
  secret?: SecretVolumeSource | undefined;
  /** Nfs. */
  nfs?: NFSVolumeSource | undefined;
  /** Iscsi. */
  iscsi?: ISCSIVolumeSource | undefined;
  /** Glusterfs. */
  glusterfs?: GlusterfsVolumeSource | undefined;
  /** Persistent volume claim. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  /** Rbd. */
  rbd?: RBDVolumeSource | undefined;
  /** Flex volume. */
  flexVolume?: FlexVolumeSource | undefined;
  /** Cinder. */
  cinder?: CinderVolumeSource | undefined;
  /** Cephfs. */
  cephfs?: CephFSVolumeSource | undefined;
  /** Flocker. */
  flocker?: FlockerVolumeSource | undefined;
  /** Downward API. */
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  /** Fc. */
  fc?: FCVolumeSource | undefined;
  /** Azure file. */
  azureFile?: AzureFileVolumeSource | undefined;
  /** Config map. */
  configMap?: ConfigMapVolumeSource | undefined;
  /** Vsphere volume. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  /** Quobyte. */
  quobyte?: QuobyteVolumeSource | undefined;
  /** Azure disk. */
  azureDisk?: AzureDiskVolumeSource | undefined;
  /** Photon persistent disk. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  /** Portworx volume. */
  portworxVolume?: PortworxVolumeSource | undefined;
  /** Scale IO. */
  scaleIO?: ScaleIOVolumeSource | undefined;
  /** Projected. */
  projected?: ProjectedVolumeSource | undefined;
  /** Storageos. */
  storageos?: StorageOSVolumeSource | undefined;
  /** Csi. */
  csi?: CSIVolumeSource | undefined;
  /** Ephemeral. */
  ephemeral?: EphemeralVolumeSource | undefined;
}

/** Vsphere virtual disk volume source. */
export interface VsphereVirtualDiskVolumeSource {
  /** Volume path. */
  volumePath?: string | undefined;
  /** Fs type. */
  fsType?: string | undefined;
  /** Storage policy name. */
  storagePolicyName?: string | undefined;
  /** Storage policy ID. */
  storagePolicyID?: string | undefined;
}

/** Weighted pod affinity term. */
export interface WeightedPodAffinityTerm {
  /** Weight. */
  weight?: number | undefined;
  /** Pod affinity term. */
  podAffinityTerm?: PodAffinityTerm | undefined;
}

/** Windows security context options. */
export interface WindowsSecurityContextOptions {
  /** Gmsa credential spec name. */
  gmsaCredentialSpecName?: string | undefined;
  /** Gmsa credential spec. */
  gmsaCredentialSpec?: string | undefined;
  /** Run as user name. */
  runAsUserName?: string | undefined;
}
