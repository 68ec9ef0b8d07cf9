/** Defaults of a pod that depend on its other fields; static ones come from the schema. */
import type { ApiObject } from '../../../meta/object.ts';
import type { Stored } from '../../define.ts';
import { isSince } from '../../since.ts';
import type { ApiContext } from '../../types.ts';
import { roundUpQuantities } from '../../validation/quantities.ts';
import type { Maybe } from '../../validation/rules.ts';
import type { Container, Pod, PodSpec, Probe, Volume } from '../v1.types.ts';
import { applyPodAmounts } from './pod-resources.ts';

const defaultFileMode = 0o644;

/** A tag that may move is pulled every time; a fixed one only when it is missing. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = image.split('@');
  if (digest !== undefined) return 'IfNotPresent';
  const tag = name.slice(name.lastIndexOf('/') + 1).split(':')[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Defaults of a Pod itself. */
export function applyPodDefaults(object: ApiObject, context: ApiContext): void {
  const { spec } = object as Stored<Pod>;
  if (!spec) return;
  applySpecDefaults(spec, true);
  spec.enableServiceLinks ??= true;
  for (const container of allContainers(spec)) requestWhatIsLimited(container);
  if (context.isFeatureEnabled('PodLevelResources')) applyPodAmounts(spec);
}

/** Before release 1.28, templates of pods in the network of the host got ports of the host, too. */
const portsOfTemplates = 'DefaultHostNetworkHostPortsInPodTemplates';

/** Defaults of a pod's spec in a template. */
export function applyPodSpecDefaults(spec: PodSpec, context: ApiContext): void {
  applySpecDefaults(spec, !isSince(context, 28) || context.isFeatureEnabled(portsOfTemplates));
}

function applySpecDefaults(spec: PodSpec, setsHostPorts: boolean): void {
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
  for (const container of allContainers(spec))
    applyContainerDefaults(container, setsHostPorts && spec.hostNetwork === true);
  for (const container of spec.ephemeralContainers ?? []) applyContainerDefaults(container, false);
  if (spec.overhead) roundUpQuantities(spec.overhead);
}

function allContainers(spec: PodSpec): Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}

function applyContainerDefaults(container: Container, isHostNetwork: boolean): void {
  if (!container.imagePullPolicy) container.imagePullPolicy = defaultPullPolicy(container.image ?? '');
  for (const port of container.ports ?? []) {
    if (isHostNetwork && !port.hostPort && port.containerPort !== undefined)
      port.hostPort = port.containerPort;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    applyProbeDefaults(probe);
  }
  if (container.resources?.limits) roundUpQuantities(container.resources.limits);
  if (container.resources?.requests) roundUpQuantities(container.resources.requests);
}

/** Zero counts as not given. */
function applyProbeDefaults(probe: Maybe<Probe>): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
}

function requestWhatIsLimited(container: Container): void {
  const { resources } = container;
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}

/** A volume without a source is an empty directory. */
function applyVolumeDefaults(volume: Volume): void {
  const hasSource = Object.entries(volume).some(([field, value]) => field !== 'name' && value != null);
  if (!hasSource) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source) source.defaultMode ??= defaultFileMode;
  }
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.image && !volume.image.pullPolicy)
    volume.image.pullPolicy = volume.image.reference
      ? defaultPullPolicy(volume.image.reference)
      : 'IfNotPresent';
}
