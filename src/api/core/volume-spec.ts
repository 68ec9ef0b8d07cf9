/** The spec of a PersistentVolume; also stands in VolumeAttachments. */
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, forbidden, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { ApiContext } from '../types.ts';
import { dns1123Subdomain } from '../validation/name-rules.ts';
import { noBacksteps } from '../validation/paths.ts';
import { positiveQuantity } from '../validation/quantities.ts';
import { given, obeys } from '../validation/rules.ts';
import { validateAccessModes } from './claim-spec.ts';
import { validateNodeSelector } from './pod/affinity.ts';
import type { PersistentVolumeSpec, VolumeNodeAffinity } from './v1.types.ts';
import { validateSharedSource } from './volume-sources.ts';

/** Fields of the spec that are not sources. */
const others: readonly string[] = [
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
];

/** The sources that are set, by name; a well-formed volume has one. */
export function sourcesOf(spec: PersistentVolumeSpec): [string, object][] {
  return Object.entries(spec).filter(
    (entry): entry is [string, object] =>
      !others.includes(entry[0]) && typeof entry[1] === 'object' && entry[1] !== null,
  );
}

interface VolumeSpecOptions {
  /** The volume stands inside an attachment: what concerns claims may not be said. */
  readonly isInline: boolean;
}

/** Every error in a volume's spec. */
export function validateVolumeSpec(
  spec: PersistentVolumeSpec,
  path: FieldPath,
  context: Pick<ApiContext, 'isFeatureEnabled'>,
  { isInline }: VolumeSpecOptions = { isInline: false },
): FieldError[] {
  return [
    ...validateAccessModes(spec.accessModes, path.child('accessModes'), context),
    ...(isInline ? claimErrors(spec, path) : capacityErrors(spec, path.child('capacity'))),
    ...sourceErrors(spec, path),
    ...given(spec.nodeAffinity, path.child('nodeAffinity'), validateVolumeNodeAffinity),
    ...given(spec.storageClassName || undefined, path.child('storageClassName'), obeys(dns1123Subdomain)),
    ...localErrors(spec, path),
    ...recycleErrors(spec, path),
  ];
}

function claimErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const fields = [
    'claimRef',
    'capacity',
    'persistentVolumeReclaimPolicy',
    'storageClassName',
    'nodeAffinity',
  ] as const;
  return fields
    .filter((field) => spec[field] != null && spec[field] !== '' && Object.keys(spec[field]).length > 0)
    .map((field) => forbidden(path.child(field), 'may not be specified in the context of inline volumes'));
}

function capacityErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const entries = Object.entries(spec.capacity ?? {});
  if (entries.length === 0) return [required(path)];
  const storage = spec.capacity?.['storage'];
  return [
    ...(storage === undefined || entries.length > 1
      ? [notSupported(path, Object.keys(spec.capacity ?? {}), ['storage'])]
      : []),
    ...errorsOf(entries, ([name, amount]) => positiveQuantity(amount, path.key(name))),
  ];
}

function sourceErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const [first, ...rest] = sourcesOf(spec);
  if (!first) return [required(path, 'must specify a volume type')];
  const [field, source] = first;
  return [
    ...validateSharedSource(field, source, path.child(field)),
    ...(field === 'csi' && !('volumeHandle' in source && source.volumeHandle)
      ? [required(path.child('csi').child('volumeHandle'))]
      : []),
    ...rest.map(([other]) => forbidden(path.child(other), 'may not specify more than 1 volume type')),
  ];
}

function validateVolumeNodeAffinity(affinity: VolumeNodeAffinity, path: FieldPath): FieldError[] {
  return affinity.required == null
    ? [required(path.child('required'), 'must specify required node constraints')]
    : validateNodeSelector(affinity.required, path.child('required'));
}

function localErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  if (spec.local == null) return [];
  return [
    ...given(spec.local.path, path.child('local').child('path'), noBacksteps),
    ...(spec.nodeAffinity == null
      ? [required(path.child('nodeAffinity'), 'Local volume requires node affinity')]
      : []),
  ];
}

/** Recycling wipes the volume: the root of a host must not be one. */
function recycleErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  return spec.persistentVolumeReclaimPolicy === 'Recycle' && /^\/+$/.test(spec.hostPath?.path ?? '')
    ? [
        forbidden(
          path.child('persistentVolumeReclaimPolicy'),
          "may not be 'recycle' for a hostPath mount of '/'",
        ),
      ]
    : [];
}
