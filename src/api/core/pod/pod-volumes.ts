/** Volumes of a pod: one source each. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { dns1123Label } from '../../validation/name-rules.ts';
import { fileMode } from '../../validation/paths.ts';
import { isNegative } from '../../validation/quantities.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each, given, need, obeys, repeatedNames } from '../../validation/rules.ts';
import { validateClaimSpec } from '../claim-spec.ts';
import type {
  CSIVolumeSource,
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
  Volume,
} from '../v1.types.ts';
import { validateSharedSource } from '../volume-sources.ts';
import { validateProjected } from './projected-volumes.ts';
import { validateDownwardFile, validateKeyToPath } from './volume-files.ts';

/** Rules of the sources that only pods have. */
const podRules: Readonly<Record<string, (source: never, path: FieldPath) => FieldError[]>> = {
  configMap: filesFrom,
  csi: inlineCsi,
  downwardAPI,
  emptyDir,
  ephemeral,
  projected: (source: ProjectedVolumeSource, path) => validateProjected(source, path),
  secret: filesFrom,
};

export function validateVolumes(volumes: Maybe<readonly Volume[]>, path: FieldPath): FieldError[] {
  return allOf(each(volumes, path, validateVolume), repeatedNames(volumes, path));
}

const isLabel = obeys(dns1123Label);

function validateVolume(volume: Volume, path: FieldPath): FieldError[] {
  const name = need(volume.name, path.child('name'), isLabel);
  const fields = sourcesOf(volume);
  const [field] = fields;
  if (field === undefined) return [...name, required(path, 'must specify a volume type')];
  const source = (volume as Readonly<Record<string, object>>)[field] ?? {};
  const at = path.child(field);
  return allOf(
    name,
    validateSharedSource(field, source, at),
    podRules[field]?.(source as never, at) ?? [],
    fields.length === 1 ? [] : surplusErrors(fields.slice(1), path),
  );
}

function surplusErrors(fields: readonly string[], path: FieldPath): FieldError[] {
  return fields.map((field) => forbidden(path.child(field), 'may not specify more than 1 volume type'));
}

/** The reference looks at `emptyDir` before all others: what stands beside it is the one too many. */
function sourcesOf(volume: Volume): string[] {
  const members = volume as Readonly<Record<string, unknown>>;
  const fields = Object.keys(volume).filter((field) => field !== 'name' && members[field] != null);
  if (fields.length < 2) return fields;
  const rank = (field: string): number => (field === 'emptyDir' ? 0 : 1);
  return fields.sort((a, b) => rank(a) - rank(b));
}

function emptyDir(source: EmptyDirVolumeSource, path: FieldPath): FieldError[] {
  return given(source.sizeLimit, path.child('sizeLimit'), (limit, at) =>
    isNegative(limit) ? [forbidden(at, 'SizeLimit field must be a valid resource quantity')] : [],
  );
}

function filesFrom(source: SecretVolumeSource & ConfigMapVolumeSource, path: FieldPath): FieldError[] {
  return allOf(
    given(source.defaultMode, path.child('defaultMode'), fileMode),
    each(source.items, path.child('items'), validateKeyToPath),
  );
}

function downwardAPI(source: DownwardAPIVolumeSource, path: FieldPath): FieldError[] {
  return allOf(
    given(source.defaultMode, path.child('defaultMode'), fileMode),
    each(source.items, path.child('items'), validateDownwardFile),
  );
}

function inlineCsi(source: CSIVolumeSource, path: FieldPath): FieldError[] {
  return given(source.nodePublishSecretRef, path.child('nodePublishSecretRef'), (ref, at) =>
    need(ref.name, at.child('name')),
  );
}

function ephemeral(source: EphemeralVolumeSource, path: FieldPath): FieldError[] {
  return need(source.volumeClaimTemplate, path.child('volumeClaimTemplate'), (template, at) =>
    validateClaimSpec(template.spec ?? {}, at.child('spec')),
  );
}
