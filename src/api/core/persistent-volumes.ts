/** PersistentVolume: a piece of storage in the cluster. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepStatus, statusSubresource } from '../define.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { same, unchanged } from '../validation/rules.ts';
import { classWarnings, volumeSpecWarnings } from './volume-warnings.ts';
import type { PersistentVolume as PersistentVolumeFields, PersistentVolumeSpec } from './v1.types.ts';
import { sourcesOf, validateVolumeSpec } from './volume-spec.ts';

type PersistentVolume = Stored<PersistentVolumeFields>;
type Affinity = PersistentVolumeSpec['nodeAffinity'];

const path = FieldPath.of('spec');
const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** Access modes as tables abbreviate them. */
export function shortAccessModes(modes: readonly string[] | null | undefined): string {
  return shortModes.flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(',');
}

/** A storage class named by the older annotation wins. */
export function storageClassOf(object: ApiObject, name: string | undefined, naming: NamingProfile): string {
  return object.metadata.annotations?.[`volume.beta.${naming.labelDomain}/storage-class`] ?? name ?? '';
}

/** A secret for growing may be added; everything else about the source is settled. */
function comparableSources(spec: PersistentVolumeSpec, from: PersistentVolumeSpec): unknown {
  const sources = Object.fromEntries(sourcesOf(spec));
  if (from.csi != null && from.csi.controllerExpandSecretRef == null && spec.csi != null) {
    const { controllerExpandSecretRef: _added, ...rest } = spec.csi;
    return { ...sources, csi: rest };
  }
  return sources;
}

/** Keys of labels that stable ones replaced: a volume may take the new key, of what it says of nodes. */
const replacedKeys: Readonly<Record<string, string>> = {
  'beta.{label}/os': '{label}/os',
  'beta.{label}/arch': '{label}/arch',
  'failure-domain.beta.{label}/zone': 'topology.{label}/zone',
  'failure-domain.beta.{label}/region': 'topology.{label}/region',
  'beta.{label}/instance-type': 'node.{label}/instance-type',
};

/** Fixed once it is set; from release 1.27 on keys of labels may become the stable ones. */
function affinityErrors(to: Affinity, from: Affinity, context: ApiContext): FieldError[] {
  if (from == null || context.isFeatureEnabled('MutablePVNodeAffinity')) return [];
  const before = isSince(context, 27) ? withStableKeys(from, to, context) : from;
  return unchanged(to, before, path.child('nodeAffinity'));
}

/** The affinity before, with the keys that the new one has at the same place where those replace them. */
function withStableKeys(from: Affinity, to: Affinity, { naming }: ApiContext): Affinity {
  const stable = new Map(
    Object.entries(replacedKeys).map(([key, other]) => [
      expandNames(key, naming),
      expandNames(other, naming),
    ]),
  );
  const terms = from?.required?.nodeSelectorTerms?.map((term, i) => {
    const other = to?.required?.nodeSelectorTerms?.[i]?.matchExpressions;
    if (!term.matchExpressions) return term;
    const matchExpressions = term.matchExpressions.map((expression, j) =>
      stable.get(expression.key ?? '') === other?.[j]?.key
        ? { ...expression, key: other?.[j]?.key }
        : expression,
    );
    return { ...term, matchExpressions };
  });
  return { ...from, required: { ...from?.required, ...(terms && { nodeSelectorTerms: terms }) } };
}

function validateUpdate(
  next: PersistentVolume,
  current: PersistentVolume,
  context: ApiContext,
): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  return [
    ...(same(comparableSources(to, from), comparableSources(from, from))
      ? []
      : [
          forbidden(
            path.child('persistentvolumesource'),
            'spec.persistentvolumesource is immutable after creation',
          ),
        ]),
    ...unchanged(to.volumeMode, from.volumeMode, path.child('volumeMode')),
    ...affinityErrors(to.nodeAffinity, from.nodeAffinity, context),
  ];
}

/** Beside the defaults of sources, which are static. */
function applyDefaults(object: ApiObject): void {
  const { spec } = object as PersistentVolume;
  if (!spec) return;
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  if (spec.hostPath) spec.hostPath.type ??= '';
}

function claim({ spec }: PersistentVolume): string {
  return spec?.claimRef == null ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;
}

export const persistentVolumes = defineResource<PersistentVolume>({
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: (volume) => {
      volume.status = { phase: 'Pending' };
    },
    prepareForUpdate: keepStatus,
    validate: (volume, context) => validateVolumeSpec(volume.spec ?? {}, path, context),
    validateUpdate,
    warnings: ({ metadata, spec }, context) => [
      ...classWarnings(metadata, context),
      ...volumeSpecWarnings(spec ?? {}, context),
    ],
    deleteReturns: 'object',
  },
  subresources: [statusSubresource<PersistentVolume>()],
  columns: [
    nameColumn,
    column<PersistentVolume>('Capacity', ({ spec }) => spec?.capacity?.['storage'], { description: 'Size.' }),
    column<PersistentVolume>('Access Modes', ({ spec }) => shortAccessModes(spec?.accessModes), {
      description: 'How it can be mounted.',
    }),
    column<PersistentVolume>('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy, {
      description: 'What becomes of it when it is released.',
    }),
    column<PersistentVolume>(
      'Status',
      ({ metadata, status }) => (metadata.deletionTimestamp == null ? status?.phase : 'Terminating'),
      { description: 'Phase of the life cycle.' },
    ),
    column<PersistentVolume>('Claim', claim, { description: 'Claim that it is bound to.' }),
    column<PersistentVolume>(
      'StorageClass',
      (volume, naming) => storageClassOf(volume, volume.spec?.storageClassName, naming),
      { description: 'Class that it belongs to.' },
    ),
    column<PersistentVolume>(
      'VolumeAttributesClass',
      ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
      {
        description: 'Class of its attributes.',
        since: '1.29',
      },
    ),
    column<PersistentVolume>('Reason', ({ status }) => status?.reason, {
      description: 'Why it is in this phase.',
    }),
    ageColumn,
    wideColumn<PersistentVolume>(
      'VolumeMode',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'File system or block device.',
    ),
  ],
});
