/** StorageVersionMigration of releases 1.30 to 1.34: of a resource in a version; what came after it names no version, and does not read it. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import { defineResource, dropStatus, keepStatus, statusSubresource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain, pathSegment } from '../validation/name-rules.ts';
import { each, need, obeys, repeated, unchanged } from '../validation/rules.ts';
import type { StorageVersionMigration as MigrationFields } from './v1alpha1.types.ts';

type StorageVersionMigration = Stored<MigrationFields>;

const resource = FieldPath.of('spec').child('resource');
const conditions = FieldPath.of('status').child('conditions');

function validate({ spec }: StorageVersionMigration): FieldError[] {
  return [
    ...need(spec?.resource?.resource, resource.child('resource'), obeys(pathSegment)),
    ...need(spec?.resource?.version, resource.child('version'), obeys(pathSegment)),
  ];
}

function validateStatus({ status }: StorageVersionMigration): FieldError[] {
  return [
    ...each(status?.conditions, conditions, ({ type, status: word }, at) => [
      ...need(type, at.child('type')),
      ...need(word, at.child('status')),
    ]),
    ...repeated(status?.conditions, conditions, ({ type }) => ({ value: type, at: 'type' })),
  ];
}

export const formerStorageVersionMigrations = defineResource<StorageVersionMigration>({
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  storedAs: 'storageversionmigrations.v1alpha1',
  namespaced: false,
  versions: [{ version: 'v1alpha1', introducedIn: '1.30', deprecatedIn: '1.33', removedIn: '1.35' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate,
    validateUpdate: (next, current) => unchanged(next.spec?.resource, current.spec?.resource, resource),
  },
  subresources: [statusSubresource<StorageVersionMigration>({ validateUpdate: validateStatus })],
  columns: [
    nameColumn,
    column<StorageVersionMigration>(
      'Resource',
      ({ spec }) =>
        [spec?.resource?.resource, spec?.resource?.version, spec?.resource?.group].filter(Boolean).join('.'),
      { description: 'Whose objects are written again.' },
    ),
  ],
});
