/** CSIStorageCapacity: how much storage a driver has left in one place. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { validateLabelSelector } from '../validation/validate-label-selector.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { quantity } from '../validation/quantities.ts';
import { given, need, obeys, unchanged } from '../validation/rules.ts';
import type { CSIStorageCapacity as CapacityFields } from './v1beta1.types.ts';

type CSIStorageCapacity = Stored<CapacityFields>;

function validate(object: CSIStorageCapacity): FieldError[] {
  return [
    ...validateLabelSelector(object.nodeTopology, FieldPath.of('nodeTopology')),
    ...need(object.storageClassName, FieldPath.of('storageClassName'), obeys(dns1123Subdomain)),
    ...given(object.capacity, FieldPath.of('capacity'), quantity),
    ...given(object.maximumVolumeSize, FieldPath.of('maximumVolumeSize'), quantity),
  ];
}

function validateUpdate(next: CSIStorageCapacity, current: CSIStorageCapacity): FieldError[] {
  return (['nodeTopology', 'storageClassName'] as const).flatMap((field) =>
    unchanged(next[field], current[field], FieldPath.of(field)),
  );
}

export const csiStorageCapacities = defineResource<CSIStorageCapacity>({
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
  versions: [
    {
      version: 'v1beta1',
      deprecatedIn: '1.24',
      removedIn: '1.27',
      replacement: 'storage.{api}/v1 CSIStorageCapacity',
    },
    { version: 'v1', introducedIn: '1.24' },
    {
      version: 'v1alpha1',
      deprecatedIn: '1.21',
      removedIn: '1.24',
      replacement: 'storage.{api}/v1beta1 CSIStorageCapacity',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { unconditionalUpdate: false, validate, validateUpdate },
  columns: [
    nameColumn,
    column<CSIStorageCapacity>('StorageClassName', ({ storageClassName }) => storageClassName, {
      description: 'Class of the storage.',
    }),
    column<CSIStorageCapacity>('Capacity', ({ capacity }) => capacity ?? '<unset>', {
      description: 'How much there is.',
    }),
  ],
});
