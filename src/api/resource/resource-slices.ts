/** ResourceSlice: devices of a pool, as their driver tells. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { formatSeconds } from '../../meta/time.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { dns1123Label, dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import {
  each,
  need,
  nonNegative,
  obeys,
  positive,
  repeatedNames,
  same,
  unchanged,
} from '../validation/rules.ts';
import { atMost } from './device-rules.ts';
import {
  formerSliceFromStorage,
  formerSliceToStorage,
  sliceFromStorage,
  sliceToStorage,
} from './request-conversion.ts';
import type { Device, ResourceSlice as SliceFields } from './v1.types.ts';

type ResourceSlice = Stored<SliceFields>;

const path = FieldPath.of('spec');
const maxDevices = 128;
/** Attributes and capacities of a device together. */
const maxFacts = 32;
const replacement = 'resource.{api}/v1 ResourceSlice';

/** A taint without a time begins now. Devices of v1beta1 have theirs in a member of their own. */
function applyDefaults(object: ApiObject, { now }: ApiContext): void {
  const { spec } = object as ApiObject & { spec?: { devices?: (Device & { basic?: Device })[] } };
  const taints = (spec?.devices ?? []).flatMap(({ basic, taints: own }) => basic?.taints ?? own ?? []);
  for (const taint of taints) taint.timeAdded ??= formatSeconds(now());
}

function validate({ spec = {} }: ResourceSlice): FieldError[] {
  const { driver, pool, devices } = spec;
  const at = path.child('pool');
  return [
    ...need(driver, path.child('driver'), obeys(dns1123Subdomain)),
    ...need(pool?.name, at.child('name')),
    ...positive(pool?.resourceSliceCount ?? 0, at.child('resourceSliceCount')),
    ...nonNegative(pool?.generation ?? 0, at.child('generation')),
    ...placeErrors(spec),
    ...atMost(devices, maxDevices, path.child('devices')),
    ...each(devices, path.child('devices'), validateDevice),
    ...repeatedNames(devices, path.child('devices')),
  ];
}

/** Exactly one way to say which nodes can use the devices. */
function placeErrors({
  nodeName,
  nodeSelector,
  allNodes,
  perDeviceNodeSelection,
}: NonNullable<ResourceSlice['spec']>): FieldError[] {
  const given = [
    nodeName != null && nodeName !== '',
    nodeSelector != null,
    allNodes === true,
    perDeviceNodeSelection === true,
  ].filter(Boolean).length;
  if (given === 1) return [];
  return [
    invalid(
      path,
      given,
      'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ),
  ];
}

function validateDevice({ name, attributes, capacity }: Device, at: FieldPath): FieldError[] {
  const facts = Object.keys(attributes ?? {}).length + Object.keys(capacity ?? {}).length;
  return [
    ...need(name, at.child('name'), obeys(dns1123Label)),
    ...(facts > maxFacts
      ? [
          invalid(
            at,
            facts,
            `the total number of attributes and capacities must not exceed ${String(maxFacts)}`,
          ),
        ]
      : []),
  ];
}

function validateUpdate(next: ResourceSlice, current: ResourceSlice): FieldError[] {
  return [
    ...unchanged(next.spec?.driver, current.spec?.driver, path.child('driver')),
    ...unchanged(next.spec?.nodeName, current.spec?.nodeName, path.child('nodeName')),
    ...unchanged(next.spec?.pool?.name, current.spec?.pool?.name, path.child('pool').child('name')),
  ];
}

export const resourceSlices = defineResource<ResourceSlice>({
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  versions: [
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
      toStorage: sliceToStorage,
      fromStorage: sliceFromStorage,
    },
    {
      version: 'v1alpha3',
      introducedIn: '1.31',
      deprecatedIn: '1.34',
      removedIn: '1.34',
      replacement: 'resource.{api}/v1beta1 ResourceSlice',
      applyDefaults,
      toStorage: formerSliceToStorage,
      fromStorage: formerSliceFromStorage,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { bumpsGeneration: (next, current) => !same(next.spec, current.spec), validate, validateUpdate },
  selectableFields: {
    'spec.driver': ({ spec }) => spec?.driver ?? '',
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  },
  columns: [
    nameColumn,
    column<ResourceSlice>('Node', ({ spec }) => spec?.nodeName, {
      description: 'The node that has the devices.',
    }),
    column<ResourceSlice>('Driver', ({ spec }) => spec?.driver, { description: 'Name of the driver.' }),
    column<ResourceSlice>('Pool', ({ spec }) => spec?.pool?.name, { description: 'Name of the pool.' }),
    ageColumn,
  ],
});
