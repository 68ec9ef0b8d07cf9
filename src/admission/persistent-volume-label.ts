/**
 * PersistentVolumeLabel: a volume that was provisioned with labels of its zone and region is bound to nodes there. The
 * labels of other cloud volumes come from the cloud's API, which this service does not call: like kube-apiserver without
 * that cloud provider, it refuses them.
 */
import type {
  NodeSelectorRequirement,
  PersistentVolume as VolumeFields,
  PersistentVolumeSpec,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isCreationOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

type Volume = Stored<VolumeFields>;

/** A disk whose id is not known yet. */
const placeholder = 'placeholder-for-provisioning';
/** Between the zones of a label. */
const zoneSeparator = '__';

export function createPersistentVolumeLabel(naming: NamingProfile): AdmissionPlugin {
  return {
    name: 'PersistentVolumeLabel',
    admit(attributes): void {
      if (!isCreationOf(attributes, 'persistentvolumes')) return;
      const volume = attributes.object as Volume;
      const labels = provisionedLabels(volume, naming);
      if (labels) bindToPlace(attributes, volume, labels);
      else assertNoCloud(attributes, volume.spec ?? {});
    },
  };
}

interface PlaceLabels {
  readonly zone: readonly [string, string];
  readonly region: readonly [string, string];
}

/** Those that its provisioner set, which is trusted. */
function provisionedLabels({ metadata }: Volume, { labelDomain }: NamingProfile): PlaceLabels | undefined {
  if (metadata.annotations?.[`pv.${labelDomain}/provisioned-by`] === undefined) return undefined;
  const { labels } = metadata;
  for (const prefix of [`topology.${labelDomain}`, `failure-domain.beta.${labelDomain}`]) {
    const [zone, region] = [labels?.[`${prefix}/zone`], labels?.[`${prefix}/region`]];
    if (zone !== undefined && region !== undefined)
      return { zone: [`${prefix}/zone`, zone], region: [`${prefix}/region`, region] };
  }
  return undefined;
}

/** Terms that mention zone or region already stay as they are. */
function bindToPlace(attributes: AdmissionAttributes, volume: Volume, { zone, region }: PlaceLabels): void {
  const requirements: NodeSelectorRequirement[] = [
    { key: zone[0], operator: 'In', values: zonesOf(attributes, zone[1]) },
    { key: region[0], operator: 'In', values: [region[1]] },
  ];
  const spec = (volume.spec ??= {});
  const { nodeSelectorTerms } = spec.nodeAffinity?.required ?? {};
  const terms = nodeSelectorTerms?.length ? nodeSelectorTerms : [{}];
  const mentions = terms.some(({ matchExpressions }) =>
    matchExpressions?.some(({ key }) => key === zone[0] || key === region[0]),
  );
  if (mentions) return;
  const bound = terms.map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...requirements],
  }));
  spec.nodeAffinity = { required: { nodeSelectorTerms: bound } };
}

/** @throws StatusError 403 */
function zonesOf({ scope, name }: AdmissionAttributes, label: string): string[] {
  const zones = label.split(zoneSeparator).map((zone) => zone.trim());
  if (!zones.includes('')) return [...new Set(zones)].sort();
  throw forbidden(scope.resource.gvr, name, `failed to convert label string for Zone: ${label} to a Set`);
}

/** @throws StatusError 403 for a volume whose labels only its cloud knows */
function assertNoCloud({ scope, name }: AdmissionAttributes, spec: PersistentVolumeSpec): void {
  const cloud = cloudDiskOf(spec);
  if (!cloud || cloud.id === placeholder) return;
  const problem = `error querying ${cloud.what} ${cloud.id}: unable to build ${cloud.provider}`;
  throw forbidden(scope.resource.gvr, name, problem);
}

interface CloudDisk {
  readonly what: string;
  readonly id: string;
  readonly provider: string;
}

function cloudDiskOf(spec: PersistentVolumeSpec): CloudDisk | undefined {
  const { awsElasticBlockStore: aws, gcePersistentDisk: gce, azureDisk, cinder, vsphereVolume } = spec;
  const disk = (what: string, id: string | undefined, provider: string): CloudDisk => ({
    ...{ what, id: id ?? '', provider },
  });
  if (aws) return disk('AWS EBS volume', aws.volumeID, 'AWS cloud provider for EBS');
  if (gce) return disk('GCE PD volume', gce.pdName, 'GCE cloud provider for PD');
  if (azureDisk) return disk('AzureDisk volume', azureDisk.diskName, 'Azure cloud provider for AzureDisk');
  if (cinder) return disk('Cinder volume', cinder.volumeID, 'OpenStack cloud provider for Cinder disk');
  if (vsphereVolume) return disk('vSphere Volume', vsphereVolume.volumePath, 'vSphere cloud provider');
  return undefined;
}
