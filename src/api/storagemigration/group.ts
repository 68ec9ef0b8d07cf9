/** Migrations of stored objects. */
import type { GroupDefinition } from '../types.ts';
import { formerStorageVersionMigrations } from './former-storage-version-migrations.ts';
import { storageVersionMigrations } from './storage-version-migrations.ts';

export const storageMigrationGroup: GroupDefinition = {
  group: 'storagemigration.{api}',
  folder: 'storagemigration',
  groupPriorityMinimum: 15800,
  versions: [
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: false, served: true },
    { version: 'v1alpha1', versionPriority: 1, enabledByDefault: false, served: true },
  ],
  resources: [storageVersionMigrations, formerStorageVersionMigrations],
};
