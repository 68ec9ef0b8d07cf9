/** PersistentVolumeClaim: a request for storage by a namespace. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepStatus, statusSubresource } from '../define.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { compareQuantities, quantity } from '../validation/quantities.ts';
import { eachValue, same, unchanged } from '../validation/rules.ts';
import { validateClaimSpec } from './claim-spec.ts';
import { shortAccessModes, storageClassOf } from './persistent-volumes.ts';
import { classWarnings } from './volume-warnings.ts';
import type { PersistentVolumeClaim as ClaimFields, PersistentVolumeClaimSpec } from './v1.types.ts';

type Claim = Stored<ClaimFields>;

const path = FieldPath.of('spec');

function requestedStorage(spec: PersistentVolumeClaimSpec): string | undefined {
  return spec.resources?.requests?.['storage'];
}

/** The spec with what this update may change taken from the current one. */
function comparable(next: Claim, current: Claim, context: ApiContext): PersistentVolumeClaimSpec {
  const annotation = classAnnotation(context);
  const to = { ...next.spec };
  const from = current.spec ?? {};
  if (!from.volumeName) to.volumeName = from.volumeName;
  const isBound = current.status?.phase === 'Bound';
  if (isBound && requestedStorage(to) !== requestedStorage(from))
    to.resources = withStorage(to, requestedStorage(from));
  if (isBound && context.isFeatureEnabled('VolumeAttributesClass'))
    to.volumeAttributesClassName = from.volumeAttributesClassName;
  const replacesAnnotation =
    from.storageClassName == null && to.storageClassName === current.metadata.annotations?.[annotation];
  if (replacesAnnotation) to.storageClassName = from.storageClassName;
  return to;
}

function withStorage(
  spec: PersistentVolumeClaimSpec,
  storage: string | undefined,
): NonNullable<PersistentVolumeClaimSpec['resources']> {
  const { storage: _other, ...rest } = spec.resources?.requests ?? {};
  return { ...spec.resources, requests: storage === undefined ? rest : { ...rest, storage } };
}

function classAnnotation({ naming }: ApiContext): string {
  return `volume.beta.${naming.labelDomain}/storage-class`;
}

/** A claim grows. What did not work out may be asked for less, yet more than there is (KEP-1790). */
function sizeErrors(next: Claim, current: Claim, { isFeatureEnabled }: ApiContext): FieldError[] {
  const wanted = requestedStorage(next.spec ?? {}) ?? '0';
  if (compareQuantities(wanted, requestedStorage(current.spec ?? {}) ?? '0') >= 0) return [];
  const at = path.child('resources').child('requests').child('storage');
  if (!isFeatureEnabled('RecoverVolumeExpansionFailure'))
    return [forbidden(at, 'field can not be less than previous value')];
  return compareQuantities(wanted, current.status?.capacity?.['storage'] ?? '0') > 0
    ? []
    : [forbidden(at, 'field can not be less than status.capacity')];
}

function validateUpdate(next: Claim, current: Claim, context: ApiContext): FieldError[] {
  const annotation = classAnnotation(context);
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  const oldClass = current.metadata.annotations?.[annotation];
  const may = isSince(context, 29)
    ? 'resources.requests and volumeAttributesClassName'
    : 'resources.requests';
  return [
    ...(same(comparable(next, current, context), from)
      ? []
      : [forbidden(path, `spec is immutable after creation except ${may} for bound claims`)]),
    ...sizeErrors(next, current, context),
    ...unchanged(to.volumeMode, from.volumeMode, path.child('volumeMode')),
    ...(next.metadata.annotations?.[annotation] === oldClass || to.storageClassName === oldClass
      ? []
      : [
          invalid(
            FieldPath.of('metadata').child('annotations').child(annotation),
            next.metadata.annotations?.[annotation] ?? '',
            'field is immutable',
          ),
        ]),
  ];
}

/** What is known of the volume only counts once there is one. */
function whenBound(claim: Claim, value: string | undefined): string {
  return claim.spec?.volumeName ? (value ?? '') : '';
}

export const persistentVolumeClaims = defineResource<Claim>({
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  namespaced: true,
  versions: [{ version: 'v1' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: (claim) => {
      claim.status = { phase: 'Pending' };
    },
    prepareForUpdate: keepStatus,
    validate: (claim, context) => validateClaimSpec(claim.spec ?? {}, path, context),
    validateUpdate,
    warnings: ({ metadata }, context) => classWarnings(metadata, context),
    deleteReturns: 'object',
  },
  subresources: [
    statusSubresource<Claim>({
      validateUpdate: (next) =>
        eachValue(next.status?.capacity, FieldPath.of('status').child('capacity'), quantity),
    }),
  ],
  columns: [
    nameColumn,
    column<Claim>(
      'Status',
      ({ metadata, status }) => (metadata.deletionTimestamp == null ? status?.phase : 'Terminating'),
      { description: 'Phase of the life cycle.' },
    ),
    column<Claim>('Volume', ({ spec }) => spec?.volumeName, { description: 'Volume that it is bound to.' }),
    column<Claim>('Capacity', (claim) => whenBound(claim, claim.status?.capacity?.['storage']), {
      description: 'Size of the volume.',
    }),
    column<Claim>('Access Modes', (claim) => whenBound(claim, shortAccessModes(claim.status?.accessModes)), {
      description: 'How the volume can be mounted.',
    }),
    column<Claim>(
      'StorageClass',
      (claim, naming) => storageClassOf(claim, claim.spec?.storageClassName, naming),
      {
        description: 'Class that is asked for.',
      },
    ),
    column<Claim>('VolumeAttributesClass', ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>', {
      description: 'Class of attributes that is asked for.',
      since: '1.29',
    }),
    ageColumn,
    wideColumn<Claim>(
      'VolumeMode',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'File system or block device.',
    ),
  ],
});
