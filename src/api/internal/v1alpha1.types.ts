/** Types of internal/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** The version that one server stores in. */
export interface ServerStorageVersion {
  /** Which server. */
  apiServerID?: string | undefined;
  /** Version that it stores in. */
  encodingVersion?: string | undefined;
  /** Versions that it can read. */
  decodableVersions?: string[] | undefined;
  /** Versions that the server serves. */
  servedVersions?: string[] | undefined;
}

/** In which versions servers store a resource. */
export interface StorageVersion {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: StorageVersionSpec | undefined;
  /** What was last observed; written by the system. */
  status?: StorageVersionStatus | undefined;
}

/** One observation of a StorageVersion. */
export interface StorageVersionCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** The generation of the object that this status speaks of. */
  observedGeneration?: number | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of StorageVersion objects. */
export interface StorageVersionList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: StorageVersion[] | null | undefined;
}

/** Empty; all is in the status. */
export interface StorageVersionSpec {}

/** What was last observed of a StorageVersion. */
export interface StorageVersionStatus {
  /** The version that each server stores in. */
  storageVersions?: ServerStorageVersion[] | undefined;
  /** The version that all servers store in, when they agree. */
  commonEncodingVersion?: string | undefined;
  /** Latest observations, one per type. */
  conditions?: StorageVersionCondition[] | undefined;
}
