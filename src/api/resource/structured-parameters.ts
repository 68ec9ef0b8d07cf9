/** ResourceClaimParameters, ResourceClassParameters and ResourceSlice of release 1.30: what its scheduler reads to allocate by itself. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import {
  each,
  given,
  need,
  obeys,
  repeated,
  repeatedNames,
  unchanged,
  type Maybe,
} from '../validation/rules.ts';
import { driverErrors, modelErrors, referenceErrors, selectorErrors } from './former-rules.ts';
import type {
  NamedResourcesAttribute,
  NamedResourcesInstance,
  ResourceClaimParameters as ClaimParameterFields,
  ResourceClassParameters as ClassParameterFields,
  ResourceSlice as SliceFields,
} from './v1alpha2.types.ts';

type ResourceClaimParameters = Stored<ClaimParameterFields>;
type ResourceClassParameters = Stored<ClassParameterFields>;
type ResourceSlice = Stored<SliceFields>;

const versions = [{ version: 'v1alpha2', introducedIn: '1.30', removedIn: '1.31' }] as const;

interface Generated {
  readonly generatedFrom?: Maybe<{
    readonly apiGroup?: Maybe<string>;
    readonly kind?: Maybe<string>;
    readonly name?: Maybe<string>;
  }>;
}

/** Such as `Settings.example.com one`. */
function originOf({ generatedFrom }: Generated): string {
  if (generatedFrom == null) return '';
  const { apiGroup, kind, name } = generatedFrom;
  return `${[kind, apiGroup].filter(Boolean).join('.')} ${name ?? ''}`;
}

const originDescription = { description: 'The object that these are made of.' };
/** What tells entries of a list from each other. */
function byDriver({ driverName }: { readonly driverName?: string | undefined }): {
  readonly value: string | undefined;
  readonly at: string;
} {
  return { value: driverName, at: 'driverName' };
}

export const resourceClaimParameters = defineResource<ResourceClaimParameters>({
  kind: 'ResourceClaimParameters',
  plural: 'resourceclaimparameters',
  namespaced: true,
  versions,
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate: ({ generatedFrom, driverRequests }) => {
      const at = FieldPath.of('driverRequests');
      return [
        ...given(generatedFrom, FieldPath.of('generatedFrom'), referenceErrors),
        ...each(driverRequests, at, ({ driverName, requests }, p) => [
          ...driverErrors(driverName, p.child('driverName')),
          ...each(requests, p.child('requests'), (request, q) =>
            modelErrors(request, q.child('namedResources'), selectorErrors),
          ),
        ]),
        ...repeated(driverRequests, at, byDriver),
      ];
    },
  },
  columns: [
    nameColumn,
    column<ResourceClaimParameters>('GeneratedFrom', originOf, originDescription),
    ageColumn,
  ],
});

export const resourceClassParameters = defineResource<ResourceClassParameters>({
  kind: 'ResourceClassParameters',
  plural: 'resourceclassparameters',
  namespaced: true,
  versions,
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate: ({ generatedFrom, vendorParameters, filters }) => {
      const [vendors, at] = [FieldPath.of('vendorParameters'), FieldPath.of('filters')];
      return [
        ...given(generatedFrom, FieldPath.of('generatedFrom'), referenceErrors),
        ...each(vendorParameters, vendors, ({ driverName }, p) =>
          driverErrors(driverName, p.child('driverName')),
        ),
        ...repeated(vendorParameters, vendors, byDriver),
        ...each(filters, at, (filter, p) => [
          ...driverErrors(filter.driverName, p.child('driverName')),
          ...modelErrors(filter, p.child('namedResources'), selectorErrors),
        ]),
        ...repeated(filters, at, byDriver),
      ];
    },
  },
  columns: [
    nameColumn,
    column<ResourceClassParameters>('GeneratedFrom', originOf, originDescription),
    ageColumn,
  ],
});

const kinds = ['quantity', 'bool', 'int', 'intSlice', 'string', 'stringSlice', 'version'] as const;

function validateAttribute(attribute: NamedResourcesAttribute, at: FieldPath): FieldError[] {
  const given = kinds.filter((kind) => attribute[kind] != null);
  return [
    ...need(attribute.name, at.child('name'), obeys(dns1123Subdomain)),
    ...(given.length === 1 ? [] : [invalid(at, given, 'exactly one field must be set')]),
  ];
}

function validateInstance({ name, attributes }: NamedResourcesInstance, at: FieldPath): FieldError[] {
  return [
    ...need(name, at.child('name'), obeys(dns1123Subdomain)),
    ...each(attributes, at.child('attributes'), validateAttribute),
    ...repeatedNames(attributes, at.child('attributes')),
  ];
}

export const formerSlices = defineResource<ResourceSlice>({
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  storedAs: 'resourceslices.v1alpha2',
  namespaced: false,
  versions,
  validateName: nameIsDns1123Subdomain,
  selectableFields: {
    nodeName: ({ nodeName }) => nodeName ?? '',
    driverName: ({ driverName }) => driverName ?? '',
  },
  strategy: {
    validate: (slice) => [
      ...(slice.nodeName ? obeys(dns1123Subdomain)(slice.nodeName, FieldPath.of('nodeName')) : []),
      ...driverErrors(slice.driverName, FieldPath.of('driverName')),
      ...modelErrors(slice, FieldPath.of('namedResources'), ({ instances }, at) => [
        ...each(instances, at.child('instances'), validateInstance),
        ...repeatedNames(instances, at.child('instances')),
      ]),
    ],
    validateUpdate: (next, current) => [
      ...unchanged(next.nodeName, current.nodeName, FieldPath.of('nodeName')),
      ...unchanged(next.driverName, current.driverName, FieldPath.of('driverName')),
    ],
  },
  columns: [
    nameColumn,
    column<ResourceSlice>('Node', ({ nodeName }) => nodeName ?? '', {
      description: 'The node that has them.',
    }),
    column<ResourceSlice>('Driver', ({ driverName }) => driverName ?? '', { description: 'The driver.' }),
    ageColumn,
  ],
});
