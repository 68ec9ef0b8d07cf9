/** Types of storagemigration/v1alpha1; generated from v1alpha1.proto by `npm run generate`. */
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Names a resource in a version. */
export interface GroupVersionResource {
  /** Group of the resource; empty: the core group. */
  group?: string | undefined;
  /** Version. */
  version?: string | undefined;
  /** The resource in the plural. */
  resource?: string | undefined;
}

/** One thing that holds of a migration, or does not. */
export interface MigrationCondition {
  /** What it is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When it last changed. */
  lastUpdateTime?: string | null | undefined;
  /** Why it changed, in one word. */
  reason?: string | undefined;
  /** Why it changed, for people. */
  message?: string | undefined;
}

/** Writes all objects of a resource again, in the version that is stored now. */
export interface StorageVersionMigration {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: StorageVersionMigrationSpec | undefined;
  /** What is observed. */
  status?: StorageVersionMigrationStatus | undefined;
}

/** A list. */
export interface StorageVersionMigrationList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and other metadata. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: StorageVersionMigration[] | null | undefined;
}

/** Which objects are meant. */
export interface StorageVersionMigrationSpec {
  /** The resource, in the version in which the objects are written. */
  resource?: GroupVersionResource | undefined;
  /** Where the list of objects goes on. */
  continueToken?: string | undefined;
}

/** How far a migration has come. */
export interface StorageVersionMigrationStatus {
  /** What holds, by type. */
  conditions?: MigrationCondition[] | undefined;
  /** Objects that are older than this are written again. */
  resourceVersion?: string | undefined;
}
