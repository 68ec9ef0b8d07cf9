/** LeaseCandidate: a program that may hold a lease. */
import type { FieldError } from '../../meta/field-error.ts';
import { required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import type { ColumnDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { need, unchanged } from '../validation/rules.ts';
import type { LeaseCandidate as CandidateFields } from './v1beta1.types.ts';

type LeaseCandidate = Stored<CandidateFields>;

const path = FieldPath.of('spec');

function validate({ spec = {} }: LeaseCandidate): FieldError[] {
  const { leaseName, strategy, binaryVersion, emulationVersion = '' } = spec;
  const isOldest = strategy === 'OldestEmulationVersion';
  return [
    ...need(leaseName, path.child('leaseName')),
    ...need(strategy, path.child('strategy')),
    ...need(binaryVersion, path.child('binaryVersion')),
    ...(isOldest && emulationVersion === ''
      ? [
          required(
            path.child('emulationVersion'),
            'must be specified when strategy is OldestEmulationVersion',
          ),
        ]
      : []),
  ];
}

/** The same in each version. */
export const candidateColumns: readonly ColumnDefinition[] = [
  nameColumn,
  column<LeaseCandidate>('LeaseName', ({ spec }) => spec?.leaseName, { description: 'Name of the lease.' }),
  column<LeaseCandidate>('BinaryVersion', ({ spec }) => spec?.binaryVersion, {
    description: 'Version of its program.',
  }),
  column<LeaseCandidate>('EmulationVersion', ({ spec }) => spec?.emulationVersion, {
    description: 'Version that its program emulates.',
  }),
  ageColumn,
];

export const leaseCandidates = defineResource<LeaseCandidate>({
  kind: 'LeaseCandidate',
  plural: 'leasecandidates',
  namespaced: true,
  versions: [
    { version: 'v1beta1', introducedIn: '1.33', deprecatedIn: '1.36', removedIn: '1.39' },
    { version: 'v1alpha2', introducedIn: '1.32', deprecatedIn: '1.35', removedIn: '1.38' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    createOnUpdate: true,
    unconditionalUpdate: false,
    validate,
    validateUpdate: (next, current) =>
      unchanged(next.spec?.leaseName, current.spec?.leaseName, path.child('leaseName')),
  },
  columns: candidateColumns,
});
