/** What stored pods, volumes, attachments and nodes refer to, as far as their node needs it (Kubernetes documentation, "Using Node Authorization"). */
import { configMapNames, secretNames } from '../../api/core/pod/references.ts';
import type {
  Node as NodeFields,
  PersistentVolume as VolumeFields,
  PersistentVolumeSpec,
  Pod as PodFields,
  PodSpec,
  PodStatus,
  SecretReference,
} from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';

/** An object of a namespace that a node may need. */
export interface NamespacedReference {
  readonly resource:
    'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts' | 'resourceclaims';
  readonly namespace: string;
  readonly name: string;
}

export interface PodReferences {
  readonly node: string;
  readonly targets: readonly NamespacedReference[];
}

export interface VolumeReferences {
  readonly claim: NamespacedReference;
  /** Only those that the node itself needs; not those of controllers. */
  readonly secrets: readonly NamespacedReference[];
}

/** Whether a pod has a node: those that wait for one change often, and need not be parsed. */
export function mayHaveNode({ bytes }: Entry): boolean {
  return bytes.includes('"nodeName"');
}

/** undefined for a pod without a node. */
export function referencesOfPod(pod: ApiObject, { labelDomain }: NamingProfile): PodReferences | undefined {
  const { metadata, spec = {}, status } = pod as Stored<PodFields>;
  const { nodeName: node = '' } = spec;
  if (node === '') return undefined;
  // A node creates its mirror pods itself, and must not gain access by that.
  const isMirror = Object.hasOwn(metadata.annotations ?? {}, `${labelDomain}/config.mirror`);
  return { node, targets: isMirror ? [] : targetsOf({ spec, status }, metadata) };
}

interface PodParts {
  readonly spec: PodSpec;
  readonly status: PodStatus | undefined;
}

function targetsOf(
  { spec, status }: PodParts,
  { name: pod = '', namespace = '' }: ApiObject['metadata'],
): NamespacedReference[] {
  const refer = (
    resource: NamespacedReference['resource'],
    names: readonly string[],
  ): NamespacedReference[] =>
    names.filter((name) => name !== '').map((name) => ({ resource, namespace, name }));
  const claims = (spec.volumes ?? []).flatMap(({ name = '', persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName ?? [];
    return ephemeral ? `${pod}-${name}` : [];
  });
  return [
    ...refer('serviceaccounts', [spec.serviceAccountName ?? '']),
    ...refer('secrets', secretNames(spec)),
    ...refer('configmaps', configMapNames(spec)),
    ...refer('persistentvolumeclaims', claims),
    ...refer('resourceclaims', resourceClaimsOf(spec, status)),
  ];
}

/** Those that the pod names, and those that were created for it, whose names are in its status. */
function resourceClaimsOf({ resourceClaims }: PodSpec, status: PodStatus | undefined): string[] {
  const { resourceClaimStatuses, extendedResourceClaimStatus } = status ?? {};
  return [
    ...(resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName ?? ''),
    ...(resourceClaimStatuses ?? []).map(({ resourceClaimName }) => resourceClaimName ?? ''),
    extendedResourceClaimStatus?.resourceClaimName ?? '',
  ];
}

/** undefined for a volume that is bound to no claim. */
export function referencesOfVolume(volume: ApiObject): VolumeReferences | undefined {
  const { spec } = volume as Stored<VolumeFields>;
  const { namespace = '', name = '' } = spec?.claimRef ?? {};
  if (!spec?.claimRef) return undefined;
  return {
    claim: { resource: 'persistentvolumeclaims', namespace, name },
    secrets: secretsOfVolume(spec, namespace).filter((secret) => secret.name !== ''),
  };
}

/** Sources whose older objects name no namespace mean that of the claim. */
function secretsOfVolume(spec: PersistentVolumeSpec, ofClaim: string): NamespacedReference[] {
  const { azureFile, cephfs, flexVolume, rbd, scaleIO, iscsi, cinder, storageos, csi } = spec;
  const secret = (name = '', namespace = ''): NamespacedReference => ({
    resource: 'secrets',
    namespace,
    name,
  });
  const from = (ref: SecretReference | null | undefined, otherwise: string): NamespacedReference[] =>
    ref ? [secret(ref.name, (ref.namespace ?? '') || otherwise)] : [];
  return [
    ...(azureFile ? [secret(azureFile.secretName, (azureFile.secretNamespace ?? '') || ofClaim)] : []),
    ...[cephfs, flexVolume, rbd, scaleIO, iscsi].flatMap((source) => from(source?.secretRef, ofClaim)),
    ...from(cinder?.secretRef, ''),
    ...(storageos?.secretRef ? [secret(storageos.secretRef.name, storageos.secretRef.namespace)] : []),
    ...from(csi?.nodePublishSecretRef, ''),
    ...from(csi?.nodeStageSecretRef, ''),
  ];
}

/** The node that an object names in its spec; ''. */
export function nodeNamedBy(object: ApiObject): string {
  const { spec } = object as { readonly spec?: { readonly nodeName?: string } };
  return spec?.nodeName ?? '';
}

/** Whether a node has a dynamic configuration: nodes report their status all the time, and next to none has one. */
export function mayHaveConfig({ bytes }: Entry): boolean {
  return bytes.includes('"configSource"');
}

/** The ConfigMap of a node's dynamic configuration. */
export function configMapOfNode(node: ApiObject): NamespacedReference | undefined {
  const { name = '', namespace = '' } = (node as Stored<NodeFields>).spec?.configSource?.configMap ?? {};
  return name === '' || namespace === '' ? undefined : { resource: 'configmaps', namespace, name };
}
