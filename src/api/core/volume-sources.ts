/** Rules of the volume sources that pods and persistent volumes share, by the field that names the source. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required, tooLong } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Subdomain } from '../validation/name-rules.ts';
import { noBacksteps, relativeDescendingPath } from '../validation/paths.ts';
import { allOf, between, given, obeys } from '../validation/rules.ts';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from './v1.types.ts';

/** Fields that a source cannot do without. */
export const neededFields: Readonly<Record<string, readonly string[]>> = {
  awsElasticBlockStore: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  cephfs: ['monitors'],
  cinder: ['volumeID'],
  configMap: ['name'],
  csi: ['driver'],
  flexVolume: ['driver'],
  gcePersistentDisk: ['pdName'],
  gitRepo: ['repository'],
  glusterfs: ['endpoints', 'path'],
  hostPath: ['path'],
  image: ['reference'],
  iscsi: ['targetPortal', 'iqn'],
  local: ['path'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  quobyte: ['registry', 'volume'],
  rbd: ['monitors', 'image'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  secret: ['secretName'],
  vsphereVolume: ['volumePath'],
};

/** Rules beside the needed fields. */
const sharedRules: Readonly<Record<string, (source: never, path: FieldPath) => FieldError[]>> = {
  awsElasticBlockStore: partition,
  azureDisk,
  csi: driverName,
  fc,
  flocker,
  gcePersistentDisk: pdPartition,
  gitRepo,
  hostPath,
  iscsi,
  nfs,
  quobyte,
};

/** Errors in one source; `field` is its name in the volume. */
export function validateSharedSource(field: string, source: object, path: FieldPath): FieldError[] {
  const members = source as Readonly<Record<string, unknown>>;
  const missing: FieldError[] = [];
  for (const name of neededFields[field] ?? []) {
    if (isEmpty(members[name])) missing.push(required(path.child(name)));
  }
  return allOf(missing, sharedRules[field]?.(source as never, path) ?? []);
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}

const partitionRange = between(0, 255);

function partition(source: AWSElasticBlockStoreVolumeSource, path: FieldPath): FieldError[] {
  return given(source.partition, path.child('partition'), partitionRange);
}

function pdPartition(source: GCEPersistentDiskVolumeSource, path: FieldPath): FieldError[] {
  return given(source.partition, path.child('partition'), partitionRange);
}

function azureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const uri = source.diskURI ?? '';
  const isManaged = source.kind === 'Managed';
  const prefix = isManaged ? '/subscriptions/' : 'https://';
  return uri === '' || uri.toLowerCase().startsWith(prefix)
    ? []
    : [invalid(path.child('diskURI'), uri, `must start with ${prefix} for this kind of disk`)];
}

/** A driver is named like a domain, in any case, with 63 characters. */
export function driverName(source: CSIVolumeSource, path: FieldPath): FieldError[] {
  return given(source.driver || undefined, path.child('driver'), csiDriverName);
}

/** Name of a CSI driver. */
export function csiDriverName(name: string, path: FieldPath): FieldError[] {
  const long = name.length > 63 ? [tooLong(path, 63)] : [];
  return allOf(long, obeys(dns1123Subdomain)(name.toLowerCase(), path));
}

function fc(source: FCVolumeSource, path: FieldPath): FieldError[] {
  const hasTargets = !isEmpty(source.targetWWNs);
  const hasIds = !isEmpty(source.wwids);
  if (!hasTargets && !hasIds)
    return [required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both')];
  if (hasTargets && hasIds) {
    return [
      invalid(
        path.child('targetWWNs'),
        source.targetWWNs,
        'targetWWNs and wwids can not be specified simultaneously',
      ),
    ];
  }
  if (!hasTargets) return [];
  return source.lun === undefined
    ? [required(path.child('lun'), 'lun is required if targetWWNs is specified')]
    : between(0, 255)(source.lun, path.child('lun'));
}

function flocker(source: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const name = source.datasetName ?? '';
  if (name === '' && !source.datasetUUID)
    return [required(path, 'one of datasetName and datasetUUID is required')];
  return allOf(
    name !== '' && source.datasetUUID
      ? [invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
      : [],
    name.includes('/') ? [invalid(path.child('datasetName'), name, "must not contain '/'")] : [],
  );
}

function gitRepo(source: GitRepoVolumeSource, path: FieldPath): FieldError[] {
  return given(source.directory, path.child('directory'), relativeDescendingPath);
}

function hostPath(source: HostPathVolumeSource, path: FieldPath): FieldError[] {
  return given(source.path, path.child('path'), noBacksteps);
}

const iqn = /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+(:[^,;*&$|\s]+)$/;
const otherInitiators = [/^eui\.[A-Za-z0-9]{16}$/, /^naa\.[A-Za-z0-9]{32}$/];

function isInitiator(name: string): boolean {
  return [iqn, ...otherInitiators].some((pattern) => pattern.test(name));
}

function iscsi(source: ISCSIVolumeSource, path: FieldPath): FieldError[] {
  const initiator = source.initiatorName;
  const usesChap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  return allOf(
    given(source.iqn || undefined, path.child('iqn'), (name, at) =>
      isInitiator(name) ? [] : [invalid(at, name, 'must be valid format')],
    ),
    given(source.lun, path.child('lun'), between(0, 255)),
    usesChap && source.secretRef == null ? [required(path.child('secretRef'))] : [],
    given(initiator, path.child('initiatorName'), (name, at) =>
      isInitiator(name) ? [] : [invalid(at, name, 'must be valid format')],
    ),
  );
}

function nfs(source: NFSVolumeSource, path: FieldPath): FieldError[] {
  return given(source.path || undefined, path.child('path'), (value, at) =>
    value.startsWith('/') ? [] : [invalid(at, value, 'must be an absolute path')],
  );
}

function quobyte(source: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const registries = source.registry ? source.registry.split(',') : [];
  return allOf(
    registries.every((registry) => /^[^:]*:[^:]*$/.test(registry))
      ? []
      : [
          invalid(
            path.child('registry'),
            source.registry,
            'must be a host:port pair or multiple pairs separated by commas',
          ),
        ],
    (source.tenant ?? '').length >= 65
      ? [required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')]
      : [],
  );
}
