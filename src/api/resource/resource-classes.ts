/** ResourceClass: what claims of releases 1.26 to 1.30 name, and the driver that allocates it. */
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { validateNodeSelector } from '../core/pod/affinity.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given } from '../validation/rules.ts';
import { driverErrors, referenceErrors } from './former-rules.ts';
import type { ResourceClass as ClassFields } from './v1alpha2.types.ts';

type ResourceClass = Stored<ClassFields>;

export const resourceClasses = defineResource<ResourceClass>({
  kind: 'ResourceClass',
  plural: 'resourceclasses',
  namespaced: false,
  versions: [
    { version: 'v1alpha2', introducedIn: '1.27', removedIn: '1.31' },
    { version: 'v1alpha1', introducedIn: '1.26', removedIn: '1.27' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate: ({ driverName, parametersRef, suitableNodes }) => [
      ...driverErrors(driverName, FieldPath.of('driverName')),
      ...given(parametersRef, FieldPath.of('parametersRef'), referenceErrors),
      ...given(suitableNodes, FieldPath.of('suitableNodes'), validateNodeSelector),
    ],
  },
  columns: [
    nameColumn,
    column<ResourceClass>('DriverName', ({ driverName }) => driverName ?? '', {
      description: 'The driver that allocates the resource.',
    }),
    ageColumn,
  ],
});
