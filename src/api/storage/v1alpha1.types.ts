/** Types of storage/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { PersistentVolumeSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
