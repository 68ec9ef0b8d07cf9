/** Which other objects of its namespace a pod names: Secrets and ConfigMaps, wherever a pod can name them. */
import type { Container, EnvFromSource, EnvVar, PodSpec, Volume } from '../v1.types.ts';

/** A Secret or ConfigMap that a container's environment comes from. */
type Environment = Pick<Container, 'env' | 'envFrom'>;

/** Names of Secrets, one for each place that names one. */
export function secretNames(spec: PodSpec): string[] {
  return [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...environments(spec).flatMap(({ env, envFrom }) => [
      ...(env ?? []).map(({ valueFrom }: EnvVar) => valueFrom?.secretKeyRef?.name),
      ...(envFrom ?? []).map(({ secretRef }: EnvFromSource) => secretRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ].filter((name) => name !== undefined);
}

/** Names of ConfigMaps, one for each place that names one. */
export function configMapNames(spec: PodSpec): string[] {
  return [
    ...environments(spec).flatMap(({ env, envFrom }) => [
      ...(env ?? []).map(({ valueFrom }: EnvVar) => valueFrom?.configMapKeyRef?.name),
      ...(envFrom ?? []).map(({ configMapRef }: EnvFromSource) => configMapRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ].filter((name) => name !== undefined);
}

function environments({ initContainers, containers, ephemeralContainers }: PodSpec): Environment[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** Sources differ in how they call their Secret. */
function secretsOfVolume(volume: Volume): (string | undefined)[] {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, projected, rbd, scaleIO, storageos } = volume;
  const referring = [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos];
  return [
    volume.secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...referring.map((source) => source?.secretRef?.name),
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}
