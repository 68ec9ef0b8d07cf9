/** StorageVersion: in which versions the servers of a cluster write a resource. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, dropStatus, keepAllButStatus, keepStatus, statusSubresource } from '../define.ts';
import type { NameRule } from '../types.ts';
import { validateConditions } from '../validation/validate-conditions.ts';
import { dns1035Label, dns1123Subdomain } from '../validation/name-rules.ts';
import { each, need, repeated } from '../validation/rules.ts';
import type { StorageVersion as StorageVersionFields } from './v1alpha1.types.ts';

type StorageVersion = Stored<StorageVersionFields>;

const path = FieldPath.of('status');
const shown = 3;

/** `<group>.<resource>`. */
const validateName: NameRule = (name) => {
  const dot = name.lastIndexOf('.');
  return dot < 0
    ? ['name must be in the form of <group>.<resource>']
    : [...dns1123Subdomain(name.slice(0, dot)), ...dns1035Label(name.slice(dot + 1))];
};

function validateStatus({ status }: StorageVersion): FieldError[] {
  const servers = path.child('storageVersions');
  return [
    ...each(status?.storageVersions, servers, ({ apiServerID, encodingVersion }, at) => [
      ...need(apiServerID, at.child('apiServerID')),
      ...need(encodingVersion, at.child('encodingVersion')),
    ]),
    ...repeated(status?.storageVersions, servers, ({ apiServerID }) => ({
      value: apiServerID,
      at: 'apiServerID',
    })),
    ...validateConditions(status?.conditions, path.child('conditions')),
    ...each(status?.conditions, path.child('conditions'), ({ reason }, at) =>
      need(reason, at.child('reason')),
    ),
  ];
}

function serversText({ status }: StorageVersion): string {
  const all = (status?.storageVersions ?? []).map(
    ({ apiServerID, encodingVersion }) => `${apiServerID ?? ''}=${encodingVersion ?? ''}`,
  );
  if (all.length === 0) return '<unset>';
  const first = all.slice(0, shown).join(',');
  return all.length > shown ? `${first} + ${String(all.length - shown)} more...` : first;
}

export const storageVersions = defineResource<StorageVersion>({
  kind: 'StorageVersion',
  plural: 'storageversions',
  namespaced: false,
  versions: [{ version: 'v1alpha1' }],
  validateName,
  strategy: { unconditionalUpdate: false, prepareForCreate: dropStatus, prepareForUpdate: keepStatus },
  subresources: [
    statusSubresource<StorageVersion>({
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateStatus,
    }),
  ],
  columns: [
    nameColumn,
    column<StorageVersion>(
      'CommonEncodingVersion',
      ({ status }) => status?.commonEncodingVersion ?? '<unset>',
      {
        description: 'Version that all servers write.',
      },
    ),
    column<StorageVersion>('StorageVersions', serversText, {
      description: 'Version that each server writes.',
    }),
    ageColumn,
  ],
});
