/** StorageVersionMigration: all objects of a resource are to be written in the version that is stored now. */
import { FieldPath } from '../../meta/field-path.ts';
import { column } from '../columns/columns.ts';
import { defineResource, dropStatus, keepStatus, type Stored } from '../define.ts';
import { conditionsSubresource } from '../status-conditions.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { need, unchanged } from '../validation/rules.ts';
import type { StorageVersionMigration as MigrationFields } from './v1beta1.types.ts';

type StorageVersionMigration = Stored<MigrationFields>;

const resource = FieldPath.of('spec').child('resource');

export const storageVersionMigrations = defineResource<StorageVersionMigration>({
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  namespaced: false,
  versions: [{ version: 'v1beta1', introducedIn: '1.35', deprecatedIn: '1.38', removedIn: '1.41' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate: ({ spec }) => need(spec?.resource?.resource, resource.child('resource')),
    validateUpdate: (next, current) => unchanged(next.spec?.resource, current.spec?.resource, resource),
  },
  subresources: [conditionsSubresource<StorageVersionMigration>()],
  columns: [
    column<StorageVersionMigration>('Name', ({ metadata }) => metadata.name, {
      description: 'Name of the migration.',
    }),
    column<StorageVersionMigration>(
      'Resource',
      ({ spec }) => [spec?.resource?.resource, spec?.resource?.group].filter(Boolean).join('.'),
      { description: 'Whose objects are written again.' },
    ),
  ],
});
