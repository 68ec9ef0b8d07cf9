/** Types of resource/v1alpha3; generated from v1alpha3.proto by `npm run generate`. */
import type { Condition, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Chooses devices by an expression. */
export interface CELDeviceSelector {
  /** CEL expression over device that must be true. */
  expression?: string | undefined;
}

/** Chooses devices. */
export interface DeviceSelector {
  /** Chooses by a CEL expression. */
  cel?: CELDeviceSelector | undefined;
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
