/** Types of storage/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { PersistentVolumeSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** CSI storage capacity. */
export interface CSIStorageCapacity {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Node topology. */
  nodeTopology?: LabelSelector | undefined;
  /** Storage class name. */
  storageClassName?: string | undefined;
  /** Capacity. */
  capacity?: string | undefined;
  /** Maximum volume size. */
  maximumVolumeSize?: string | undefined;
}

/** CSI storage capacity list. */
export interface CSIStorageCapacityList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CSIStorageCapacity[] | null | undefined;
}

/** Volume attachment. */
export interface VolumeAttachment {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: VolumeAttachmentSpec | undefined;
  /** Status. */
  status?: VolumeAttachmentStatus | undefined;
}

/** Volume attachment list. */
export interface VolumeAttachmentList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: VolumeAttachment[] | null | undefined;
}

/** Volume attachment source. */
export interface VolumeAttachmentSource {
  /** Persistent volume name. */
  persistentVolumeName?: string | undefined;
  /** Inline volume spec. */
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
}

/** Volume attachment spec. */
export interface VolumeAttachmentSpec {
  /** Attacher. */
  attacher?: string | undefined;
  /** Source. */
  source?: VolumeAttachmentSource | undefined;
  /** Node name. */
  nodeName?: string | undefined;
}

/** Volume attachment status. */
export interface VolumeAttachmentStatus {
  /** Attached. */
  attached?: boolean | undefined;
  /** Attachment metadata. */
  attachmentMetadata?: Record<string, string> | undefined;
  /** Attach error. */
  attachError?: VolumeError | undefined;
  /** Detach error. */
  detachError?: VolumeError | undefined;
}

/** Volume error. */
export interface VolumeError {
  /** Time. */
  time?: string | null | undefined;
  /** Message. */
  message?: string | undefined;
}
