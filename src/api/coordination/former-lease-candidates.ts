/** LeaseCandidate of release 1.31, which names several strategies; what came after it has one, and does not read it. */
import type { FieldError } from '../../meta/field-error.ts';
import { required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { defineResource, type Stored } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { need, unchanged } from '../validation/rules.ts';
import { candidateColumns } from './lease-candidates.ts';
import type { LeaseCandidate as CandidateFields } from './v1alpha1.types.ts';

type LeaseCandidate = Stored<CandidateFields>;

const path = FieldPath.of('spec');

function validate({ spec = {} }: LeaseCandidate): FieldError[] {
  const { leaseName, preferredStrategies, emulationVersion = '' } = spec;
  const isOldest = (preferredStrategies ?? []).includes('OldestEmulationVersion');
  return [
    ...need(leaseName, path.child('leaseName')),
    ...(isOldest && emulationVersion === ''
      ? [required(path.child('emulationVersion'), 'must be specified with strategy OldestEmulationVersion')]
      : []),
  ];
}

export const formerLeaseCandidates = defineResource<LeaseCandidate>({
  kind: 'LeaseCandidate',
  plural: 'leasecandidates',
  storedAs: 'leasecandidates.v1alpha1',
  namespaced: true,
  versions: [{ version: 'v1alpha1', introducedIn: '1.31', deprecatedIn: '1.34', removedIn: '1.32' }],
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
