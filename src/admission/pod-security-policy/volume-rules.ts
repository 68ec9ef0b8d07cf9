/** Which volumes a policy allows. */
import type { Container, PodSpec, ProjectedVolumeSource, Volume } from '../../api/core/v1.types.ts';
import type { PodSecurityPolicySpec } from '../../api/policy/v1beta1.types.ts';
import { errorsOf, invalid, maxFieldErrors, type FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';

const volumesPath = FieldPath.of('spec').child('volumes');

/** Types are called as their fields are, but for this one. */
const typeNames: Readonly<Record<string, string>> = { cephfs: 'cephFS' };

/** A container with its path. */
export type PlacedContainers = readonly (readonly [Container, FieldPath])[];

export interface VolumeRules {
  readonly policy: PodSecurityPolicySpec;
  readonly naming: NamingProfile;
}

export function validateVolumes(
  rules: VolumeRules,
  spec: PodSpec,
  containers: PlacedContainers,
): FieldError[] {
  const allowed = new Set(rules.policy.volumes);
  const writable = writableMounts(containers);
  return errorsOf(spec.volumes ?? [], (volume, i) => {
    const at = volumesPath.index(i);
    const field = Object.keys(volume).find((key) => key !== 'name' && volume[key as keyof Volume] != null);
    if (field === undefined) return [invalid(at, '', 'unknown volume type')];
    const type = typeNames[field] ?? field;
    const isAllowed = allowed.has('*') || allowed.has(type) || isTokenVolume(rules, allowed, volume);
    if (!isAllowed) return [invalid(at, type, `${type} volumes are not allowed to be used`)];
    return [
      ...validateHostPath(rules, writable, { volume, at }),
      ...validateDriver(rules.policy, volume, at),
    ];
  });
}

/** What a token of the service account comes in is allowed where Secrets are. */
function isTokenVolume(
  { naming }: VolumeRules,
  allowed: ReadonlySet<string>,
  { projected }: Volume,
): boolean {
  return projected != null && allowed.has('secret') && holdsTokenOnly(projected, naming);
}

function holdsTokenOnly({ sources }: ProjectedVolumeSource, { systemPrefix }: NamingProfile): boolean {
  return (sources ?? []).every(({ serviceAccountToken: token, configMap, downwardAPI }) => {
    if (!token && !configMap && !downwardAPI) return false;
    if (token && (token.path !== 'token' || (token.audience ?? '') !== '')) return false;
    if (configMap && configMap.name !== `${systemPrefix}-root-ca.crt`) return false;
    return (downwardAPI?.items ?? []).every(
      ({ path, fieldRef }) =>
        path === 'namespace' && fieldRef?.apiVersion === 'v1' && fieldRef.fieldPath === 'metadata.namespace',
    );
  });
}

/** Volume → paths of the mounts that may write to it. */
type Mounts = ReadonlyMap<string, readonly FieldPath[]>;

function writableMounts(containers: PlacedContainers): Mounts {
  const mounts = new Map<string, FieldPath[]>();
  for (const [{ volumeMounts }, place] of containers)
    for (const [i, { name = '', readOnly }] of (volumeMounts ?? []).entries()) {
      if (readOnly === true) continue;
      const at = place.child('volumeMounts').index(i).child('readOnly');
      mounts.set(name, [...(mounts.get(name) ?? []), at].slice(0, maxFieldErrors));
    }
  return mounts;
}

interface PlacedVolume {
  readonly volume: Volume;
  readonly at: FieldPath;
}

function validateHostPath(
  { policy }: VolumeRules,
  writable: Mounts,
  { volume, at }: PlacedVolume,
): FieldError[] {
  const allowed = policy.allowedHostPaths ?? [];
  const { path = '' } = volume.hostPath ?? {};
  if (!volume.hostPath || allowed.length === 0) return [];
  const covering = allowed.filter(({ pathPrefix = '' }) => isWithin(path, pathPrefix));
  if (covering.length === 0)
    return [invalid(at.child('hostPath').child('pathPrefix'), path, 'is not allowed to be used')];
  if (covering.some(({ readOnly }) => readOnly !== true)) return [];
  return (writable.get(volume.name ?? '') ?? []).map((mount) => invalid(mount, false, 'must be read-only'));
}

/** The folder itself or one below it, whether or not it ends with a slash. */
function isWithin(path: string, prefix: string): boolean {
  const [inner, outer] = [path, prefix].map((text) => text.replace(/\/$/, '')) as [string, string];
  return inner === outer || inner.startsWith(`${outer}/`);
}

function validateDriver(
  policy: PodSecurityPolicySpec,
  { flexVolume, csi }: Volume,
  at: FieldPath,
): FieldError[] {
  const flex = (policy.allowedFlexVolumes ?? []).map(({ driver }) => driver);
  const inline = (policy.allowedCSIDrivers ?? []).map(({ name }) => name);
  const isRefused = (driver: string | undefined, drivers: readonly (string | undefined)[]): boolean =>
    drivers.length > 0 && !drivers.includes(driver);
  if (flexVolume && isRefused(flexVolume.driver, flex))
    return [invalid(at.child('driver'), flexVolume.driver, 'Flexvolume driver is not allowed to be used')];
  if (csi && isRefused(csi.driver, inline))
    return [
      invalid(at.child('csi').child('driver'), csi.driver, 'Inline CSI driver is not allowed to be used'),
    ];
  return [];
}
