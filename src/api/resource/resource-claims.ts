/** ResourceClaim and ResourceClaimTemplate: devices that pods ask for. */
import { interfaceText, parseBlock } from '../../base/ip-block.ts';
import type { JsonObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import {
  defineResource,
  dropStatus,
  keepAllButStatus,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, same, unchanged } from '../validation/rules.ts';
import { consumerErrors } from './consumers.ts';
import { validateClaimedDevices } from './device-rules.ts';
import { expressionErrors, expressionsOfClaim } from './selector-expressions.ts';
import { claimFromStorage, claimToStorage } from './request-conversion.ts';
import type {
  DeviceClaim,
  ResourceClaim as ClaimFields,
  ResourceClaimTemplate as TemplateFields,
} from './v1.types.ts';

type ResourceClaim = Stored<ClaimFields>;
type ResourceClaimTemplate = Stored<TemplateFields>;
type ClaimDevices = NonNullable<ResourceClaim['status']>['devices'];

const path = FieldPath.of('spec');
const maxReserved = 256;

/** One device unless a request says otherwise; v1beta1 says so beside the name. */
function applyDefaults(object: ApiObject): void {
  for (const request of requestsOf(object)) {
    for (const wanted of [request, request.exactly, ...(request.firstAvailable ?? [])]) complete(wanted);
  }
}

interface Wanted {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number | undefined;
}

interface Request extends Wanted {
  exactly?: Wanted | null;
  firstAvailable?: Wanted[] | null;
}

function requestsOf(object: ApiObject): readonly Request[] {
  const spec = object['spec'] as { devices?: DeviceClaim; spec?: { devices?: DeviceClaim } } | undefined;
  return ((spec?.spec ?? spec)?.devices?.requests ?? []) as Request[];
}

function complete(wanted: Wanted | null | undefined): void {
  if (wanted?.deviceClassName === undefined) return;
  if ((wanted.allocationMode ?? '') === '') wanted.allocationMode = 'ExactCount';
  if (wanted.allocationMode === 'ExactCount' && (wanted.count ?? 0) === 0) wanted.count = 1;
}

const convert = {
  toStorage: (object: JsonObject) => claimToStorage(object),
  fromStorage: (object: JsonObject) => claimFromStorage(object),
};

function versionsOf(kind: string): ResourceVersionDefinition[] {
  const replacement = `resource.{api}/v1 ${kind}`;
  return [
    { version: 'v1', introducedIn: '1.34', applyDefaults },
    {
      version: 'v1beta2',
      introducedIn: '1.33',
      deprecatedIn: '1.36',
      removedIn: '1.39',
      replacement,
      applyDefaults,
    },
    {
      version: 'v1beta1',
      introducedIn: '1.32',
      deprecatedIn: '1.35',
      removedIn: '1.38',
      replacement,
      applyDefaults,
      ...convert,
    },
    {
      version: 'v1alpha3',
      introducedIn: '1.31',
      deprecatedIn: '1.34',
      removedIn: '1.34',
      replacement: `resource.{api}/v1beta1 ${kind}`,
      applyDefaults,
      ...convert,
    },
  ];
}

/** Addresses of network devices, with the length of their prefix, are written in one way. */
function networkErrors(devices: ClaimDevices, at: FieldPath): FieldError[] {
  return each(devices, at, ({ networkData }, p) =>
    each(networkData?.ips, p.child('networkData').child('ips'), interfaceErrors),
  );
}

function interfaceErrors(text: string, at: FieldPath): FieldError[] {
  const block = parseBlock(text);
  if (!block)
    return [
      invalid(at, text, 'must be an address with the length of its prefix: 10.9.8.1/24, 2001:db8::1/64'),
    ];
  const usual = interfaceText(block);
  return usual === text ? [] : [invalid(at, text, `must be in canonical form ("${usual}")`)];
}

/** Users can only be added to what was allocated. */
function validateStatus(next: ResourceClaim, current: ResourceClaim): FieldError[] {
  const { allocation, reservedFor, devices } = next.status ?? {};
  const at = FieldPath.of('status');
  const reserved = at.child('reservedFor');
  const before = current.status?.allocation;
  return [
    ...(allocation == null && (reservedFor ?? []).length > 0
      ? [forbidden(reserved, 'may not be specified when allocation is not set')]
      : []),
    ...consumerErrors(reservedFor, maxReserved, reserved),
    ...networkErrors(devices, at.child('devices')),
    ...(before == null || allocation == null || same(allocation, before)
      ? []
      : unchanged(allocation, before, at.child('allocation'))),
  ];
}

function stateOf({ metadata, status }: ResourceClaim): string {
  const isEnding = metadata.deletionTimestamp != null;
  const isAllocated = status?.allocation != null;
  const isReserved = (status?.reservedFor ?? []).length > 0;
  return [
    ...(isEnding ? ['deleted'] : []),
    ...(!isAllocated && !isEnding ? ['pending'] : []),
    ...(isAllocated ? ['allocated'] : []),
    ...(isReserved ? ['reserved'] : []),
  ].join(',');
}

export const resourceClaims = defineResource<ResourceClaim>({
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
  versions: versionsOf('ResourceClaim'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate: ({ spec }) => given(spec?.devices, path.child('devices'), validateClaimedDevices),
    // The spec of a claim stays as it is.
    validateCreate: ({ spec }, context) =>
      expressionErrors(expressionsOfClaim(spec?.devices, path.child('devices')), [], context),
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  subresources: [
    statusSubresource<ResourceClaim>({
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validateStatus,
    }),
  ],
  columns: [
    nameColumn,
    column<ResourceClaim>('State', stateOf, { description: 'What has become of the claim.' }),
    ageColumn,
  ],
});

export const resourceClaimTemplates = defineResource<ResourceClaimTemplate>({
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  versions: versionsOf('ResourceClaimTemplate'),
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validateCreate: ({ spec }, context) =>
      expressionErrors(
        expressionsOfClaim(spec?.spec?.devices, path.child('spec').child('devices')),
        [],
        context,
      ),
    validate: ({ spec }) =>
      spec == null
        ? [required(path)]
        : given(spec.spec?.devices, path.child('spec').child('devices'), validateClaimedDevices),
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  columns: [nameColumn, ageColumn],
});
