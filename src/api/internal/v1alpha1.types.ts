/** Types of internal/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Server storage version. */
export interface ServerStorageVersion {
  /** Api server ID. */
  apiServerID?: string | undefined;
  /** Encoding version. */
  encodingVersion?: string | undefined;
  /** Decodable versions. */
  decodableVersions?: string[] | undefined;
}

/** Storage version. */
export interface StorageVersion {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: StorageVersionSpec | undefined;
  /** Status. */
  status?: StorageVersionStatus | undefined;
}

/** Storage version condition. */
export interface StorageVersionCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Observed generation. */
  observedGeneration?: number | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Storage version list. */
export interface StorageVersionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: StorageVersion[] | null | undefined;
}

/** Storage version spec. */
export interface StorageVersionSpec {}

/** Storage version status. */
export interface StorageVersionStatus {
  /** Storage versions. */
  storageVersions?: ServerStorageVersion[] | undefined;
  /** Common encoding version. */
  commonEncodingVersion?: string | undefined;
  /** Conditions. */
  conditions?: StorageVersionCondition[] | undefined;
}
