/** ResourceClaim and ResourceClaimTemplate of releases 1.26 to 1.30, whose resources a driver allocates by its own parameters; later ones ask for devices, and do not read these. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, required, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { validateNodeSelector } from '../core/pod/affinity.ts';
import {
  defineResource,
  dropStatus,
  keepAllButStatus,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, given, need, obeys, same, unchanged } from '../validation/rules.ts';
import { consumerErrors } from './consumers.ts';
import { atMost } from './device-rules.ts';
import { driverErrors, referenceErrors } from './former-rules.ts';
import type {
  AllocationResult,
  ResourceClaim as ClaimFields,
  ResourceClaimSpec,
  ResourceClaimTemplate as TemplateFields,
} from './v1alpha2.types.ts';

type ResourceClaim = Stored<ClaimFields>;
type ResourceClaimTemplate = Stored<TemplateFields>;

const path = FieldPath.of('spec');
const maxHandles = 32;
const maxReserved = 32;
const maxDataBytes = 16 * 1024;

const second = { version: 'v1alpha2', introducedIn: '1.27', removedIn: '1.31' } as const;
const first = { version: 'v1alpha1', introducedIn: '1.26', removedIn: '1.27' } as const;

/** Release 1.26 has the data of one driver, without its name. */
function handlesOf({ resourceHandle, ...rest }: JsonObject): JsonObject {
  return resourceHandle === undefined ? rest : { resourceHandles: [{ data: resourceHandle }], ...rest };
}

function handleOf({ resourceHandles, ...rest }: JsonObject): JsonObject {
  const [only] = Array.isArray(resourceHandles) ? resourceHandles : [];
  const data = isObject(only) ? only['data'] : undefined;
  return data === undefined ? rest : { resourceHandle: data, ...rest };
}

function withAllocation(object: JsonObject, change: (allocation: JsonObject) => JsonObject): JsonObject {
  const { status } = object;
  if (!isObject(status) || !isObject(status['allocation'])) return object;
  return { ...object, status: { ...status, allocation: change(status['allocation']) } };
}

function validateSpec(spec: ResourceClaimSpec, at: FieldPath): FieldError[] {
  return [
    ...need(spec.resourceClassName, at.child('resourceClassName'), obeys(dns1123Subdomain)),
    ...given(spec.parametersRef, at.child('parametersRef'), referenceErrors),
  ];
}

function validateAllocation(allocation: AllocationResult, at: FieldPath): FieldError[] {
  const handles = at.child('resourceHandles');
  return [
    ...atMost(allocation.resourceHandles, maxHandles, handles),
    ...each(allocation.resourceHandles, handles, ({ driverName, data }, p) => [
      // Release 1.26 does not name it.
      ...(driverName ? driverErrors(driverName, p.child('driverName')) : []),
      ...(Buffer.byteLength(data ?? '') > maxDataBytes ? [tooLong(p.child('data'), maxDataBytes)] : []),
    ]),
    ...given(allocation.availableOnNodes, at.child('availableOnNodes'), validateNodeSelector),
  ];
}

function validateStatus(next: ResourceClaim, current: ResourceClaim): FieldError[] {
  const { driverName, allocation, reservedFor } = next.status ?? {};
  const at = FieldPath.of('status');
  const reserved = at.child('reservedFor');
  const driver = at.child('driverName');
  const before = current.status?.allocation;
  return [
    ...(driverName ? driverErrors(driverName, driver) : []),
    ...(!driverName && allocation != null ? [required(driver, 'must be given with `allocation`')] : []),
    ...given(allocation, at.child('allocation'), validateAllocation),
    ...consumerErrors(reservedFor, maxReserved, reserved),
    ...reservationErrors(next, current, reserved),
    ...(before == null || allocation == null || same(allocation, before)
      ? []
      : unchanged(allocation, before, at.child('allocation'))),
    ...deallocationErrors(next, current, at.child('deallocationRequested')),
  ];
}

/** Only what is allocated has users; one unless it can be shared, and no new ones while it is taken back. */
function reservationErrors(next: ResourceClaim, current: ResourceClaim, at: FieldPath): FieldError[] {
  const { allocation, reservedFor, deallocationRequested } = next.status ?? {};
  const users = reservedFor ?? [];
  if (users.length === 0) return [];
  if (allocation == null) return [forbidden(at, 'may not be specified when `allocation` is not set')];
  const known = new Set((current.status?.reservedFor ?? []).map(({ uid }) => uid));
  const isEnding = next.metadata.deletionTimestamp != null || deallocationRequested === true;
  return [
    ...(allocation.shareable !== true && users.length > 1
      ? [forbidden(at, 'may not be reserved more than once')]
      : []),
    ...(isEnding && users.some(({ uid }) => !known.has(uid))
      ? [forbidden(at, 'new entries may not be added while the claim is deallocated or deleted')]
      : []),
  ];
}

function deallocationErrors(next: ResourceClaim, current: ResourceClaim, at: FieldPath): FieldError[] {
  const { allocation, reservedFor, deallocationRequested } = next.status ?? {};
  if (deallocationRequested !== true || current.status?.deallocationRequested === true) return [];
  if ((reservedFor ?? []).length > 0)
    return [forbidden(at, 'deallocation cannot be requested while `reservedFor` is set')];
  return allocation == null ? [forbidden(at, 'deallocation cannot be requested without `allocation`')] : [];
}

function stateOf({ metadata, status }: ResourceClaim): string {
  const isEnding = metadata.deletionTimestamp != null;
  const isAllocated = status?.allocation != null;
  return [
    ...(isEnding ? ['deleted'] : []),
    ...(!isAllocated && !isEnding ? ['pending'] : []),
    ...(isAllocated ? ['allocated'] : []),
    ...((status?.reservedFor ?? []).length > 0 ? ['reserved'] : []),
    ...(status?.deallocationRequested === true ? ['deallocation-requested'] : []),
  ].join(',');
}

const classDescription = { description: 'The class of the resource.' };
const modeDescription = { description: 'When the resource is allocated.' };

export const formerClaims = defineResource<ResourceClaim>({
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  storedAs: 'resourceclaims.v1alpha2',
  namespaced: true,
  versions: [
    second,
    {
      ...first,
      toStorage: (object) => withAllocation(object, handlesOf),
      fromStorage: (object) => withAllocation(object, handleOf),
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validate: ({ spec }) => given(spec, path, validateSpec),
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
    column<ResourceClaim>('ResourceClassName', ({ spec }) => spec?.resourceClassName ?? '', classDescription),
    column<ResourceClaim>('AllocationMode', ({ spec }) => spec?.allocationMode ?? '', modeDescription),
    column<ResourceClaim>('State', stateOf, { description: 'What has become of the claim.' }),
    ageColumn,
  ],
});

export const formerClaimTemplates = defineResource<ResourceClaimTemplate>({
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  storedAs: 'resourceclaimtemplates.v1alpha2',
  namespaced: true,
  versions: [second, first],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    validate: ({ spec }) =>
      spec == null ? [required(path)] : given(spec.spec, path.child('spec'), validateSpec),
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  columns: [
    nameColumn,
    column<ResourceClaimTemplate>(
      'ResourceClassName',
      ({ spec }) => spec?.spec?.resourceClassName ?? '',
      classDescription,
    ),
    column<ResourceClaimTemplate>(
      'AllocationMode',
      ({ spec }) => spec?.spec?.allocationMode ?? '',
      modeDescription,
    ),
    ageColumn,
  ],
});
