/** PersistentVolumeClaim: a request for storage by a namespace. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepStatus, statusSubresource } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { compareQuantities, quantity } from '../validation/quantities.ts';
import { eachValue, same, unchanged } from '../validation/rules.ts';
import { validateClaimSpec } from './claim-spec.ts';
import { shortAccessModes, storageClassOf } from './persistent-volumes.ts';
import type { PersistentVolumeClaim as ClaimFields, PersistentVolumeClaimSpec } from './v1.types.ts';

type Claim = Stored<ClaimFields>;

const path = FieldPath.of('spec');

function requestedStorage(spec: PersistentVolumeClaimSpec): string | undefined {
  return spec.resources?.requests?.['storage'];
}

/** The spec with what this update may change taken from the current one. */
function comparable(next: Claim, current: Claim, annotation: string): PersistentVolumeClaimSpec {
  const to = { ...next.spec };
  const from = current.spec ?? {};
  if (!from.volumeName) to.volumeName = from.volumeName;
  const isGrowing = current.status?.phase === 'Bound' && requestedStorage(to) !== requestedStorage(from);
  if (isGrowing) to.resources = withStorage(to, requestedStorage(from));
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

function validateUpdate(next: Claim, current: Claim, naming: NamingProfile): FieldError[] {
  const annotation = `volume.beta.${naming.labelDomain}/storage-class`;
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  const before = requestedStorage(from) ?? '0';
  const requests = path.child('resources').child('requests').child('storage');
  const oldClass = current.metadata.annotations?.[annotation];
  return [
    ...(same(comparable(next, current, annotation), from)
      ? []
      : [forbidden(path, 'spec is immutable after creation except resources.requests for bound claims')]),
    ...(compareQuantities(requestedStorage(to) ?? '0', before) < 0
      ? [forbidden(requests, 'field can not be less than previous value')]
      : []),
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
    validate: (claim) => validateClaimSpec(claim.spec ?? {}, path),
    validateUpdate: (next, current, context) => validateUpdate(next, current, context.naming),
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
