/** Types of resource/v1alpha3; generated from v1alpha3.proto by `npm run generate`. */
import type { JsonValue } from '../../base/json.ts';
import type { NodeSelector } from '../core/v1.types.ts';
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** What the driver tells of an allocated device. */
export interface AllocatedDeviceStatus {
  /** Name of the driver. */
  driver?: string | undefined;
  /** Pool of the device. */
  pool?: string | undefined;
  /** Name of the device in its pool. */
  device?: string | undefined;
  /** What holds of the device, by type. */
  conditions?: Condition[] | null | undefined;
  /** Anything that the driver tells. */
  data?: JsonValue | undefined;
  /** What a network device tells. */
  networkData?: NetworkDeviceData | undefined;
  /** Which share of the device; a key of the list, which later releases set. */
  shareID?: string | undefined;
}

/** What a claim was given. */
export interface AllocationResult {
  /** The devices. */
  devices?: DeviceAllocationResult | undefined;
  /** Nodes that can use them; absent: all. */
  nodeSelector?: NodeSelector | undefined;
}

/** What a device is and has. */
export interface BasicDevice {
  /** Facts about the device, by qualified name. */
  attributes?: Record<string, DeviceAttribute> | undefined;
  /** How much the device has, by qualified name. */
  capacity?: Record<string, string> | undefined;
  /** What the device takes of shared counters. */
  consumesCounters?: DeviceCounterConsumption[] | undefined;
  /** The node that has the device. */
  nodeName?: string | undefined;
  /** Nodes that can use the device. */
  nodeSelector?: NodeSelector | undefined;
  /** All nodes can use the device. */
  allNodes?: boolean | undefined;
  /** Reasons not to use the device. */
  taints?: DeviceTaint[] | undefined;
}

/** Chooses devices by an expression. */
export interface CELDeviceSelector {
  /** CEL expression over device that must be true. */
  expression?: string | undefined;
}

/** How much there is of something that devices share. */
export interface Counter {
  /** The amount. */
  value?: string | undefined;
}

/** Counters that devices of a pool share. */
export interface CounterSet {
  /** Name of the set, unique in the pool. */
  name?: string | undefined;
  /** The counters by name. */
  counters?: Record<string, Counter> | undefined;
}

/** A device of a pool. */
export interface Device {
  /** Name, unique in the pool. */
  name?: string | undefined;
  /** What the device is. */
  basic?: BasicDevice | undefined;
}

/** Settings of allocated devices, and where they come from. */
export interface DeviceAllocationConfiguration {
  /** FromClass or FromClaim. */
  source?: string | undefined;
  /** Requests that the settings are for; none: all. */
  requests?: string[] | undefined;
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration | undefined;
}

/** The devices of a claim. */
export interface DeviceAllocationResult {
  /** A device for each thing asked for. */
  results?: DeviceRequestAllocationResult[] | undefined;
  /** Settings of the devices. */
  config?: DeviceAllocationConfiguration[] | undefined;
}

/** A fact about a device; one of its fields is set. */
export interface DeviceAttribute {
  /** A number. */
  int?: number | undefined;
  /** A truth value. */
  bool?: boolean | undefined;
  /** A text. */
  string?: string | undefined;
  /** A semantic version. */
  version?: string | undefined;
}

/** Which devices are wanted. */
export interface DeviceClaim {
  /** The requests; each gets devices of its own. */
  requests?: DeviceRequest[] | null | undefined;
  /** What the devices must have in common. */
  constraints?: DeviceConstraint[] | undefined;
  /** Settings of the devices. */
  config?: DeviceClaimConfiguration[] | undefined;
}

/** Settings of claimed devices. */
export interface DeviceClaimConfiguration {
  /** Requests that the settings are for; none: all. */
  requests?: string[] | undefined;
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration | undefined;
}

/** A kind of devices that claims can name. */
export interface DeviceClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: DeviceClassSpec | undefined;
}

/** Settings of the devices of a class. */
export interface DeviceClassConfiguration {
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration | undefined;
}

/** A list. */
export interface DeviceClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: DeviceClass[] | null | undefined;
}

/** Which devices a class has. */
export interface DeviceClassSpec {
  /** What the devices must be like; all must hold. */
  selectors?: DeviceSelector[] | undefined;
  /** Settings of the devices. */
  config?: DeviceClassConfiguration[] | undefined;
}

/** Settings of a device. */
export interface DeviceConfiguration {
  /** Settings that only the driver understands. */
  opaque?: OpaqueDeviceConfiguration | undefined;
}

/** What devices of a claim must have in common. */
export interface DeviceConstraint {
  /** Requests that the constraint is about; none: all. */
  requests?: string[] | undefined;
  /** Attribute that is equal for all. */
  matchAttribute?: string | undefined;
}

/** What a device takes of a set of counters. */
export interface DeviceCounterConsumption {
  /** Name of the set. */
  counterSet?: string | undefined;
  /** Amounts by counter. */
  counters?: Record<string, Counter> | undefined;
}

/** Devices that are wanted together. */
export interface DeviceRequest {
  /** Name, unique in the claim. */
  name?: string | undefined;
  /** Class of the devices. */
  deviceClassName?: string | undefined;
  /** What the devices must be like; all must hold. */
  selectors?: DeviceSelector[] | undefined;
  /** ExactCount or All. */
  allocationMode?: string | undefined;
  /** How many devices. */
  count?: number | undefined;
  /** Access for administration: others may use the devices, too. */
  adminAccess?: boolean | undefined;
  /** Alternatives in order; the first that can be had counts. */
  firstAvailable?: DeviceSubRequest[] | undefined;
  /** Taints of devices that are tolerated. */
  tolerations?: DeviceToleration[] | undefined;
}

/** A device that was allocated for a request. */
export interface DeviceRequestAllocationResult {
  /** Name of the request. */
  request?: string | undefined;
  /** Name of the driver. */
  driver?: string | undefined;
  /** Pool of the device. */
  pool?: string | undefined;
  /** Name of the device in its pool. */
  device?: string | undefined;
  /** Allocated for administration. */
  adminAccess?: boolean | undefined;
  /** Taints of devices that are tolerated. */
  tolerations?: DeviceToleration[] | undefined;
}

/** Chooses devices. */
export interface DeviceSelector {
  /** Chooses by a CEL expression. */
  cel?: CELDeviceSelector | undefined;
}

/** One of the alternatives of a request. */
export interface DeviceSubRequest {
  /** Name, unique in the request. */
  name?: string | undefined;
  /** Class of the devices. */
  deviceClassName?: string | undefined;
  /** What the devices must be like; all must hold. */
  selectors?: DeviceSelector[] | undefined;
  /** ExactCount or All. */
  allocationMode?: string | undefined;
  /** How many devices. */
  count?: number | undefined;
  /** Taints of devices that are tolerated. */
  tolerations?: DeviceToleration[] | undefined;
}

/** A reason not to use a device. */
export interface DeviceTaint {
  /** Key of the taint. */
  key?: string | undefined;
  /** Value of the taint. */
  value?: string | undefined;
  /** NoSchedule, NoExecute or None. */
  effect?: string | undefined;
  /** When the taint was added. */
  timeAdded?: string | null | undefined;
}

/** Taints devices. */
export interface DeviceTaintRule {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: DeviceTaintRuleSpec | undefined;
  /** What is observed. */
  status?: DeviceTaintRuleStatus | undefined;
}

/** A list. */
export interface DeviceTaintRuleList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: DeviceTaintRule[] | null | undefined;
}

/** Which devices get which taint. */
export interface DeviceTaintRuleSpec {
  /** The devices; absent: all. */
  deviceSelector?: DeviceTaintSelector | undefined;
  /** The taint. */
  taint?: DeviceTaint | undefined;
}

/** How far a rule has come. */
export interface DeviceTaintRuleStatus {
  /** What holds, by type. */
  conditions?: Condition[] | undefined;
}

/** Which devices are tainted; all that is given must fit. */
export interface DeviceTaintSelector {
  /** Name of a class of devices. */
  deviceClassName?: string | undefined;
  /** Name of the driver. */
  driver?: string | undefined;
  /** Name of the pool. */
  pool?: string | undefined;
  /** Name of the device. */
  device?: string | undefined;
  /** What the devices must be like; all must hold. */
  selectors?: DeviceSelector[] | undefined;
}

/** A taint of devices that is tolerated. */
export interface DeviceToleration {
  /** Key of the taint; empty: all. */
  key?: string | undefined;
  /** Exists or Equal. */
  operator?: string | undefined;
  /** Value of the taint. */
  value?: string | undefined;
  /** Effect of the taint; empty: all. */
  effect?: string | undefined;
  /** How long NoExecute is tolerated. */
  tolerationSeconds?: number | undefined;
}

/** What a network device tells. */
export interface NetworkDeviceData {
  /** Name of the interface in the pod. */
  interfaceName?: string | undefined;
  /** Addresses with the length of their prefix. */
  ips?: string[] | undefined;
  /** Hardware address. */
  hardwareAddress?: string | undefined;
}

/** Settings that only a driver understands. */
export interface OpaqueDeviceConfiguration {
  /** Name of the driver. */
  driver?: string | undefined;
  /** The settings. */
  parameters?: JsonValue | undefined;
}

/** Where resources for a pod are needed, and where they can be had. */
export interface PodSchedulingContext {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: PodSchedulingContextSpec | undefined;
  /** What is observed. */
  status?: PodSchedulingContextStatus | undefined;
}

/** A list. */
export interface PodSchedulingContextList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: PodSchedulingContext[] | null | undefined;
}

/** Where resources for a pod are needed. */
export interface PodSchedulingContextSpec {
  /** The node for which claims are to be allocated. */
  selectedNode?: string | undefined;
  /** Nodes that the pod might run on. */
  potentialNodes?: string[] | undefined;
}

/** Where resources for a pod can be had. */
export interface PodSchedulingContextStatus {
  /** What drivers say, by the name of the claim in the pod. */
  resourceClaims?: ResourceClaimSchedulingStatus[] | undefined;
}

/** How many devices of a pool are in use. */
export interface PoolStatus {
  /** Name of the driver. */
  driver?: string | undefined;
  /** Name of the pool. */
  poolName?: string | undefined;
  /** The node that has the pool. */
  nodeName?: string | undefined;
  /** All devices. */
  totalDevices?: number | undefined;
  /** Devices in use. */
  allocatedDevices?: number | undefined;
  /** Devices that can be had. */
  availableDevices?: number | undefined;
  /** Devices that can be neither used nor had. */
  unavailableDevices?: number | undefined;
  /** Slices of the pool. */
  resourceSliceCount?: number | undefined;
  /** Generation of the pool. */
  generation?: number | undefined;
  /** Why the pool cannot be counted. */
  validationError?: string | undefined;
}

/** A claim of devices. */
export interface ResourceClaim {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimSpec | undefined;
  /** What is observed. */
  status?: ResourceClaimStatus | undefined;
}

/** Who uses a claim. */
export interface ResourceClaimConsumerReference {
  /** Group of the user; empty: the core group. */
  apiGroup?: string | undefined;
  /** Resource of the user, such as pods. */
  resource?: string | undefined;
  /** Name of the user. */
  name?: string | undefined;
  /** UID of the user. */
  uid?: string | undefined;
}

/** A list. */
export interface ResourceClaimList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClaim[] | null | undefined;
}

/** Where a claim cannot be allocated. */
export interface ResourceClaimSchedulingStatus {
  /** Name of the claim in the pod. */
  name?: string | undefined;
  /** Nodes for which it cannot be. */
  unsuitableNodes?: string[] | undefined;
}

/** What is claimed. */
export interface ResourceClaimSpec {
  /** The devices that are wanted. */
  devices?: DeviceClaim | undefined;
}

/** What a claim was given, and who uses it. */
export interface ResourceClaimStatus {
  /** What was allocated; absent: nothing yet. */
  allocation?: AllocationResult | undefined;
  /** Who may use the claim now. */
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
  /** What drivers tell of the devices. */
  devices?: AllocatedDeviceStatus[] | undefined;
}

/** A claim that is made for each pod. */
export interface ResourceClaimTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimTemplateSpec | undefined;
}

/** A list. */
export interface ResourceClaimTemplateList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceClaimTemplate[] | null | undefined;
}

/** The claim that is made. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations of the claims. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceClaimSpec | undefined;
}

/** A pool of devices and its state. */
export interface ResourcePool {
  /** Name of the pool. */
  name?: string | undefined;
  /** Grows with every change of the pool. */
  generation?: number | undefined;
  /** How many slices the pool has at this generation. */
  resourceSliceCount?: number | undefined;
}

/** Asks how many devices of pools are in use. */
export interface ResourcePoolStatusRequest {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourcePoolStatusRequestSpec | undefined;
  /** What is observed. */
  status?: ResourcePoolStatusRequestStatus | undefined;
}

/** A list. */
export interface ResourcePoolStatusRequestList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourcePoolStatusRequest[] | null | undefined;
}

/** Which pools are meant. */
export interface ResourcePoolStatusRequestSpec {
  /** Name of the driver. */
  driver?: string | undefined;
  /** Name of the pool; absent: all of the driver. */
  poolName?: string | undefined;
  /** Most pools in the answer. */
  limit?: number | undefined;
}

/** The answer. */
export interface ResourcePoolStatusRequestStatus {
  /** The pools. */
  pools?: PoolStatus[] | undefined;
  /** What holds, by type. */
  conditions?: Condition[] | undefined;
  /** How many pools there are. */
  poolCount?: number | undefined;
}

/** Devices of a pool, as their driver tells. */
export interface ResourceSlice {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: ResourceSliceSpec | undefined;
}

/** A list. */
export interface ResourceSliceList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: ResourceSlice[] | null | undefined;
}

/** The devices, and who can use them. */
export interface ResourceSliceSpec {
  /** Name of the driver. */
  driver?: string | undefined;
  /** The pool that the slice is part of. */
  pool?: ResourcePool | undefined;
  /** The node that has the devices. */
  nodeName?: string | undefined;
  /** Nodes that can use the devices. */
  nodeSelector?: NodeSelector | undefined;
  /** All nodes can use the devices. */
  allNodes?: boolean | undefined;
  /** The devices. */
  devices?: Device[] | undefined;
  /** Each device says which nodes can use it. */
  perDeviceNodeSelection?: boolean | undefined;
  /** Counters that devices share. */
  sharedCounters?: CounterSet[] | undefined;
}
