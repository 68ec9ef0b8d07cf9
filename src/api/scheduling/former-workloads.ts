/** Workload of release 1.35, whose groups of pods stand in it; what came after it has templates of groups, and does not read it. */
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { repeatedNames, unchanged } from '../validation/rules.ts';
import type { Workload as WorkloadFields } from './v1alpha1.types.ts';

type Workload = Stored<WorkloadFields>;

const path = FieldPath.of('spec');

export const formerWorkloads = defineResource<Workload>({
  kind: 'Workload',
  plural: 'workloads',
  storedAs: 'workloads.v1alpha1',
  namespaced: true,
  versions: [{ version: 'v1alpha1', introducedIn: '1.35', removedIn: '1.36' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate: ({ spec }) => repeatedNames(spec?.podGroups, path.child('podGroups')),
    validateUpdate: (next, current) => [
      ...unchanged(next.spec?.podGroups, current.spec?.podGroups, path.child('podGroups')),
      ...(current.spec?.controllerRef == null
        ? []
        : unchanged(next.spec?.controllerRef, current.spec.controllerRef, path.child('controllerRef'))),
    ],
  },
  columns: [nameColumn, ageColumn],
});
