/** Projected volumes: several sources write files into one directory. */
import type { FieldError } from '../../../meta/field-error.ts';
import { errorsOf, forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { fileMode, relativeDescendingPath } from '../../validation/paths.ts';
import { allOf, each, given, need, toNumber } from '../../validation/rules.ts';
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../v1.types.ts';
import { validateDownwardFile, validateKeyToPath } from './volume-files.ts';

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

export function validateProjected(source: ProjectedVolumeSource, path: FieldPath): FieldError[] {
  return allOf(
    given(source.defaultMode, path.child('defaultMode'), fileMode),
    each(source.sources, path.child('sources'), validateProjection),
    conflictingPaths(source, path),
  );
}

function validateProjection(projection: VolumeProjection, path: FieldPath): FieldError[] {
  const [first, ...others] = Object.entries(projection).filter(([, source]) => source != null);
  if (!first) return [required(path, 'must specify a volume projection source')];
  return allOf(
    (['secret', 'configMap'] as const).flatMap((field) =>
      given(projection[field], path.child(field), (source, at) =>
        allOf(need(source.name, at.child('name')), each(source.items, at.child('items'), validateKeyToPath)),
      ),
    ),
    given(projection.downwardAPI, path.child('downwardAPI'), (source, at) =>
      each<DownwardAPIVolumeFile>(source.items, at.child('items'), validateDownwardFile),
    ),
    given(projection.serviceAccountToken, path.child('serviceAccountToken'), validateToken),
    given(projection.clusterTrustBundle, path.child('clusterTrustBundle'), validateBundle),
    given(projection.podCertificate, path.child('podCertificate'), validateCertificate),
    others.map(([field]) => forbidden(path.child(field), 'may not specify more than 1 volume type')),
  );
}

/** One bundle by name, or all of a signer. */
function validateBundle(bundle: ClusterTrustBundleProjection, path: FieldPath): FieldError[] {
  const [name, signer] = [bundle.name != null, bundle.signerName != null];
  const choice =
    name === signer ? [invalid(path, null, 'exactly one of name or signerName must be set')] : [];
  const selector =
    name && bundle.labelSelector != null
      ? [forbidden(path.child('labelSelector'), 'must be unset, if name is set')]
      : [];
  return allOf(choice, selector, need(bundle.path, path.child('path'), relativeDescendingPath));
}

/** Key and certificates stand in one file, or each in its own. */
function validateCertificate(certificate: PodCertificateProjection, path: FieldPath): FieldError[] {
  const paths = [certificate.credentialBundlePath, certificate.keyPath, certificate.certificateChainPath];
  return allOf(
    need(certificate.signerName, path.child('signerName')),
    need(certificate.keyType, path.child('keyType')),
    paths.every((file) => file == null || file === '')
      ? [required(path, 'specify at least one of credentialBundlePath, keyPath and certificateChainPath')]
      : [],
  );
}

function validateToken(token: ServiceAccountTokenProjection, path: FieldPath): FieldError[] {
  const seconds = path.child('expirationSeconds');
  const lifetime = toNumber(token.expirationSeconds ?? minTokenSeconds);
  return allOf(
    lifetime < minTokenSeconds
      ? [invalid(seconds, token.expirationSeconds, 'may not specify a duration less than 10 minutes')]
      : [],
    lifetime > maxTokenSeconds
      ? [invalid(seconds, token.expirationSeconds, 'may not specify a duration larger than 2^32 seconds')]
      : [],
    need(token.path, path.child('path'), relativeDescendingPath),
  );
}

interface ProjectedFile {
  readonly path: string;
  readonly at: FieldPath;
}

function filesOf(source: ProjectedVolumeSource, path: FieldPath): ProjectedFile[] {
  return (source.sources ?? []).flatMap((projection, position) => {
    const at = path.child('sources').index(position);
    const items: (KeyToPath | DownwardAPIVolumeFile)[] = [
      ...(projection.secret?.items ?? []),
      ...(projection.configMap?.items ?? []),
      ...(projection.downwardAPI?.items ?? []),
    ];
    const token = projection.serviceAccountToken?.path;
    return [...items.map((item) => item.path), token].flatMap((file) => (file ? [{ path: file, at }] : []));
  });
}

/** No two sources may write the same file. */
function conflictingPaths(source: ProjectedVolumeSource, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return errorsOf(filesOf(source, path), (file) => {
    const isRepeated = seen.has(file.path);
    seen.add(file.path);
    return isRepeated ? [invalid(file.at, file.path, 'conflicting duplicate paths')] : [];
  });
}
