/** CSIDriver: what a storage driver needs from the cluster. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, joined, nameColumn } from '../columns/columns.ts';
import { csiDriverName } from '../core/volume-sources.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, given, toNumber, unchanged } from '../validation/rules.ts';
import type { CSIDriver as CSIDriverFields, TokenRequest } from './v1.types.ts';

type CSIDriver = Stored<CSIDriverFields>;

const path = FieldPath.of('spec');
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

function applyDefaults(object: ApiObject, context: ApiContext): void {
  const { spec } = object as CSIDriver;
  if (!spec) return;
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  if (context.isFeatureEnabled('CSIStorageCapacity')) spec.storageCapacity ??= false;
  if (context.isFeatureEnabled('CSIVolumeFSGroupPolicy')) spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (context.isFeatureEnabled('CSIServiceAccountToken')) spec.requiresRepublish ??= false;
  if (context.isFeatureEnabled('CSIInlineVolume') && (spec.volumeLifecycleModes ?? []).length === 0) {
    spec.volumeLifecycleModes = ['Persistent'];
  }
}

/** Fields of features that are off are dropped. */
function dropDisabled({ spec }: CSIDriver, context: ApiContext): void {
  if (!spec) return;
  if (!context.isFeatureEnabled('CSIStorageCapacity')) delete spec.storageCapacity;
  if (!context.isFeatureEnabled('CSIVolumeFSGroupPolicy')) delete spec.fsGroupPolicy;
  if (!context.isFeatureEnabled('CSIInlineVolume')) delete spec.volumeLifecycleModes;
  if (!context.isFeatureEnabled('CSIServiceAccountToken')) {
    delete spec.requiresRepublish;
    delete spec.tokenRequests;
  }
}

function validate({ metadata, spec }: CSIDriver, context: ApiContext): FieldError[] {
  const needed = ['attachRequired', 'podInfoOnMount'] as const;
  const gated = context.isFeatureEnabled('CSIStorageCapacity') ? (['storageCapacity'] as const) : [];
  return [
    ...given(metadata.name, FieldPath.of('metadata').child('name'), csiDriverName),
    ...[...needed, ...gated]
      .filter((field) => spec?.[field] == null)
      .map((field) => required(path.child(field))),
    ...validateTokenRequests(spec?.tokenRequests, path.child('tokenRequests')),
  ];
}

function validateTokenRequests(requests: Maybe<readonly TokenRequest[]>, at: FieldPath): FieldError[] {
  const audiences = new Set<string>();
  return each(requests, at, (request, p) => {
    const audience = request.audience ?? '';
    const repeated = audiences.has(audience) ? [duplicate(p.child('audience'), audience)] : [];
    audiences.add(audience);
    return [...repeated, ...given(request.expirationSeconds, p.child('expirationSeconds'), lifetime)];
  });
}

function lifetime(seconds: number, at: FieldPath): FieldError[] {
  const value = toNumber(seconds);
  if (value < minTokenSeconds)
    return [invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
  return value > maxTokenSeconds
    ? [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

/** What an update leaves alone, and the release from which on it may change it. */
const fixed = [
  ['attachRequired', Infinity],
  ['fsGroupPolicy', 28],
  ['podInfoOnMount', 28],
  ['storageCapacity', 23],
  ['volumeLifecycleModes', Infinity],
] as const;

function validateUpdate(next: CSIDriver, current: CSIDriver, context: ApiContext): FieldError[] {
  return fixed
    .filter(([, until]) => !isSince(context, until))
    .flatMap(([field]) => unchanged(next.spec?.[field], current.spec?.[field], path.child(field)));
}

function audiences({ spec }: CSIDriver): string {
  return spec?.tokenRequests == null
    ? '<unset>'
    : spec.tokenRequests.map((request) => request.audience ?? '').join(',');
}

const beta = {
  version: 'v1beta1',
  deprecatedIn: '1.19',
  removedIn: '1.22',
  replacement: 'storage.{api}/v1 CSIDriver',
};

export const csiDrivers = defineResource<CSIDriver>({
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  versions: [
    { version: 'v1', applyDefaults },
    { ...beta, applyDefaults },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropDisabled,
    prepareForUpdate: (next, _current, context) => {
      dropDisabled(next, context);
    },
    validate,
    validateUpdate,
    deleteReturns: 'object',
  },
  columns: [
    nameColumn,
    column<CSIDriver>('AttachRequired', ({ spec }) => spec?.attachRequired ?? true, {
      type: 'boolean',
      description: 'Whether volumes are attached before they are mounted.',
    }),
    column<CSIDriver>('PodInfoOnMount', ({ spec }) => spec?.podInfoOnMount, {
      type: 'boolean',
      description: 'Whether the driver is told about the pod at mount.',
    }),
    column<CSIDriver>('StorageCapacity', ({ spec }) => spec?.storageCapacity, {
      type: 'boolean',
      description: 'Whether scheduling looks at the capacity that the driver publishes.',
    }),
    column<CSIDriver>('TokenRequests', audiences, {
      description: 'Audiences of the tokens that the driver gets.',
    }),
    column<CSIDriver>('RequiresRepublish', ({ spec }) => spec?.requiresRepublish, {
      type: 'boolean',
      description: 'Whether volumes are published again from time to time.',
    }),
    column<CSIDriver>('Modes', ({ spec }) => joined(spec?.volumeLifecycleModes), {
      description: 'Kinds of volumes that the driver serves.',
    }),
    ageColumn,
  ],
});
