/** IPAddress: an address of the cluster, and the object that holds it. */
import { canonicalAddress } from '../../base/ip-address.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import type { HeldValue } from '../types.ts';
import { need, obeys, unchanged } from '../validation/rules.ts';
import { pathSegment } from '../validation/name-rules.ts';
import type { IPAddress as AddressFields, ParentReference } from './v1.types.ts';

type IPAddress = Stored<AddressFields>;

const parent = FieldPath.of('spec').child('parentRef');
const metadataName = FieldPath.of('metadata').child('name');

function validate({ spec }: IPAddress): FieldError[] {
  const reference = spec?.parentRef;
  if (reference == null) return [required(parent)];
  return (['resource', 'name'] as const).flatMap((field) =>
    need(reference[field], parent.child(field), obeys(pathSegment)),
  );
}

/** The one way to write an address, so that two objects cannot stand for the same. */
function validateName(name: string): string[] {
  return canonicalAddress(name) === name ? [] : ['must be a canonical form IP address'];
}

/** What keeps an address of a service is the service itself; others keep theirs from services by this object. */
function held({ metadata, spec }: IPAddress): HeldValue[] {
  const isOfService = Object.entries(metadata.labels ?? {}).some(
    ([key, value]) => key.startsWith('ipaddress.') && value.startsWith('ipallocator.'),
  );
  if (isOfService && spec?.parentRef?.resource === 'services') return [];
  const { name = '' } = metadata;
  return [{ pool: 'addresses', value: name, path: metadataName, sent: name, isReserved: true }];
}

function parentText({ group, resource, namespace, name }: ParentReference): string {
  const kind = `${resource ?? ''}.${group ?? ''}`.toLowerCase().replace(/\.$/, '');
  return [kind, namespace, name].filter((part) => part !== undefined && part !== '').join('/');
}

export const ipAddresses = defineResource<IPAddress>({
  kind: 'IPAddress',
  plural: 'ipaddresses',
  shortNames: ['ip'],
  namespaced: false,
  versions: [
    { version: 'v1', introducedIn: '1.33' },
    {
      version: 'v1beta1',
      introducedIn: '1.31',
      deprecatedIn: '1.34',
      removedIn: '1.37',
      replacement: 'networking.{api}/v1 IPAddress',
    },
    {
      version: 'v1alpha1',
      introducedIn: '1.27',
      deprecatedIn: '1.30',
      removedIn: '1.33',
      replacement: 'networking.{api}/v1beta1 IPAddress',
    },
  ],
  validateName,
  strategy: {
    validate,
    validateUpdate: (next, current) => unchanged(next.spec?.parentRef, current.spec?.parentRef, parent),
    allocation: { complete: () => [], held, missing: () => [] },
  },
  columns: [
    nameColumn,
    column<IPAddress>('ParentRef', ({ spec }) => (spec?.parentRef ? parentText(spec.parentRef) : '<none>'), {
      description: 'The object that holds the address.',
    }),
    ageColumn,
  ],
});
