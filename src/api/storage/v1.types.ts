/** Types of storage/v1; generated from v1.proto by `npm run generate`. */
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** A storage driver and what it can do. */
export interface CSIDriver {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: CSIDriverSpec | undefined;
}

/** A list of CSIDriver objects. */
export interface CSIDriverList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CSIDriver[] | null | undefined;
}

/** What is wanted of a CSIDriver. */
export interface CSIDriverSpec {
  /** Whether volumes need an attach step. */
  attachRequired?: boolean | undefined;
  /** Tell the driver about the pod. */
  podInfoOnMount?: boolean | undefined;
  /** Persistent, Ephemeral or both. */
  volumeLifecycleModes?: string[] | undefined;
  /** Ask the driver how much is free before placing pods. */
  storageCapacity?: boolean | undefined;
  /** Whether the group of files is changed. */
  fsGroupPolicy?: string | undefined;
  /** Tokens of the pod that the driver needs. */
  tokenRequests?: TokenRequest[] | undefined;
  /** Mount again from time to time. */
  requiresRepublish?: boolean | undefined;
  /** The driver can mount with an SELinux label. */
  seLinuxMount?: boolean | undefined;
  /** How often nodes report how many volumes they take, in seconds. */
  nodeAllocatableUpdatePeriodSeconds?: number | undefined;
  /** Tokens are passed as secrets. */
  serviceAccountTokenInSecrets?: boolean | undefined;
  /** Pods are not scheduled to nodes without the driver. */
  preventPodSchedulingIfMissing?: boolean | undefined;
}

/** Storage drivers of a node. */
export interface CSINode {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: CSINodeSpec | undefined;
}

/** A storage driver of a node. */
export interface CSINodeDriver {
  /** Name of the driver. */
  name?: string | undefined;
  /** Name of the node at the driver. */
  nodeID?: string | undefined;
  /** Labels of nodes that describe where they are. */
  topologyKeys?: string[] | null | undefined;
  /** How many volumes the node can take. */
  allocatable?: VolumeNodeResources | undefined;
}

/** A list of CSINode objects. */
export interface CSINodeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CSINode[] | null | undefined;
}

/** What is wanted of a CSINode. */
export interface CSINodeSpec {
  /** Drivers installed on the node. */
  drivers?: CSINodeDriver[] | null | undefined;
}

/** How much storage a driver has left in one place. */
export interface CSIStorageCapacity {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Nodes that can reach the storage. */
  nodeTopology?: LabelSelector | undefined;
  /** Name of the StorageClass; empty asks for none. */
  storageClassName?: string | undefined;
  /** How much there is. */
  capacity?: string | undefined;
  /** Largest volume that can be made. */
  maximumVolumeSize?: string | undefined;
}

/** A list of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CSIStorageCapacity[] | null | undefined;
}

/** A kind of storage that volumes can be made of. */
export interface StorageClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** Who makes the volumes. */
  provisioner?: string | undefined;
  /** Settings for the provisioner. */
  parameters?: Record<string, string> | undefined;
  /** What happens to volumes whose claim goes. */
  reclaimPolicy?: string | undefined;
  /** Options for the mount. */
  mountOptions?: string[] | undefined;
  /** Whether claims may grow. */
  allowVolumeExpansion?: boolean | undefined;
  /** Bind at once, or when a pod needs it. */
  volumeBindingMode?: string | undefined;
  /** Where volumes may be made. */
  allowedTopologies?: TopologySelectorTerm[] | undefined;
}

/** A list of StorageClass objects. */
export interface StorageClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: StorageClass[] | null | undefined;
}

/** A token that is asked for, or needed by a driver. */
export interface TokenRequest {
  /** Whom the token is meant for. */
  audience?: string | undefined;
  /** How long the token is wanted to be valid. */
  expirationSeconds?: number | undefined;
}

/** Attaches a volume to a node, or detaches it. */
export interface VolumeAttachment {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: VolumeAttachmentSpec | undefined;
  /** What was last observed; written by the system. */
  status?: VolumeAttachmentStatus | undefined;
}

/** A list of VolumeAttachment objects. */
export interface VolumeAttachmentList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: VolumeAttachment[] | null | undefined;
}

/** The volume to attach; exactly one is set. */
export interface VolumeAttachmentSource {
  /** Name of the PersistentVolume. */
  persistentVolumeName?: string | undefined;
  /** The volume itself, for volumes written in pods before they became drivers. */
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
}

/** What is wanted of a VolumeAttachment. */
export interface VolumeAttachmentSpec {
  /** The driver that must attach the volume. */
  attacher?: string | undefined;
  /** The volume to attach. */
  source?: VolumeAttachmentSource | undefined;
  /** Node to attach the volume to. */
  nodeName?: string | undefined;
}

/** What was last observed of a VolumeAttachment. */
export interface VolumeAttachmentStatus {
  /** Whether the volume is attached. */
  attached?: boolean | undefined;
  /** What later steps need to know of the attached volume. */
  attachmentMetadata?: Record<string, string> | undefined;
  /** Last error while attaching. */
  attachError?: VolumeError | undefined;
  /** Last error while detaching. */
  detachError?: VolumeError | undefined;
}

/** Attributes of volumes that can change. */
export interface VolumeAttributesClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** Name of the driver. */
  driverName?: string | undefined;
  /** The attributes, as the driver knows them. */
  parameters?: Record<string, string> | undefined;
}

/** A list. */
export interface VolumeAttributesClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: VolumeAttributesClass[] | null | undefined;
}

/** An error while attaching or detaching. */
export interface VolumeError {
  /** When it happened. */
  time?: string | null | undefined;
  /** Details for people. */
  message?: string | undefined;
  /** Code of the error. */
  errorCode?: number | undefined;
}

/** How many volumes a node can take. */
export interface VolumeNodeResources {
  /** Most volumes of the driver on the node. */
  count?: number | undefined;
}
