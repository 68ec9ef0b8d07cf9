/** Types of storagemigration/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { Condition, GroupResource, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

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
  /** The resource. */
  resource?: GroupResource | undefined;
}

/** How far a migration has come. */
export interface StorageVersionMigrationStatus {
  /** What holds, by type. */
  conditions?: Condition[] | undefined;
  /** Objects that are older than this are written again. */
  resourceVersion?: string | undefined;
}
