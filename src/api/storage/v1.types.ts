/** Types of storage/v1; generated from v1.proto by `npm run generate`. */
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** CSI driver. */
export interface CSIDriver {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: CSIDriverSpec | undefined;
}

/** CSI driver list. */
export interface CSIDriverList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CSIDriver[] | null | undefined;
}

/** CSI driver spec. */
export interface CSIDriverSpec {
  /** Attach required. */
  attachRequired?: boolean | undefined;
  /** Pod info on mount. */
  podInfoOnMount?: boolean | undefined;
  /** Volume lifecycle modes. */
  volumeLifecycleModes?: string[] | undefined;
  /** Storage capacity. */
  storageCapacity?: boolean | undefined;
  /** Fs group policy. */
  fsGroupPolicy?: string | undefined;
  /** Token requests. */
  tokenRequests?: TokenRequest[] | undefined;
  /** Requires republish. */
  requiresRepublish?: boolean | undefined;
}

/** CSI node. */
export interface CSINode {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: CSINodeSpec | undefined;
}

/** CSI node driver. */
export interface CSINodeDriver {
  /** Name. */
  name?: string | undefined;
  /** Node ID. */
  nodeID?: string | undefined;
  /** Topology keys. */
  topologyKeys?: string[] | null | undefined;
  /** Allocatable. */
  allocatable?: VolumeNodeResources | undefined;
}

/** CSI node list. */
export interface CSINodeList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CSINode[] | null | undefined;
}

/** CSI node spec. */
export interface CSINodeSpec {
  /** Drivers. */
  drivers?: CSINodeDriver[] | null | undefined;
}

/** Storage class. */
export interface StorageClass {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Provisioner. */
  provisioner?: string | undefined;
  /** Parameters. */
  parameters?: Record<string, string> | undefined;
  /** Reclaim policy. */
  reclaimPolicy?: string | undefined;
  /** Mount options. */
  mountOptions?: string[] | undefined;
  /** Allow volume expansion. */
  allowVolumeExpansion?: boolean | undefined;
  /** Volume binding mode. */
  volumeBindingMode?: string | undefined;
  /** Allowed topologies. */
  allowedTopologies?: TopologySelectorTerm[] | undefined;
}

/** Storage class list. */
export interface StorageClassList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: StorageClass[] | null | undefined;
}

/** Token request. */
export interface TokenRequest {
  /** Audience. */
  audience?: string | undefined;
  /** Expiration seconds. */
  expirationSeconds?: number | undefined;
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

/** Volume node resources. */
export interface VolumeNodeResources {
  /** Count. */
  count?: number | undefined;
}
