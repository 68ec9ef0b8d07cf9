/** Lease: the holder of a lock and when it was renewed. */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, nonNegative, positive } from '../validation/rules.ts';
import type { Lease as LeaseFields } from './v1.types.ts';

type Lease = Stored<LeaseFields>;

const path = FieldPath.of('spec');

function validate({ spec }: Lease): FieldError[] {
  return [
    ...given(spec?.leaseDurationSeconds, path.child('leaseDurationSeconds'), positive),
    ...given(spec?.leaseTransitions, path.child('leaseTransitions'), nonNegative),
  ];
}

export const leases = defineResource<Lease>({
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'coordination.{api}/v1 Lease',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { createOnUpdate: true, unconditionalUpdate: false, allowsBareFinalizers: true, validate },
  columns: [
    nameColumn,
    column<Lease>('Holder', ({ spec }) => spec?.holderIdentity, { description: 'Who holds the lease.' }),
    ageColumn,
  ],
});
