/** Pod: containers that run together on one node. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepSpec, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext, SubresourceDefinition } from '../types.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { allOf, same, toNumber } from '../validation/rules.ts';
import { proxyConnection, streamConnection, textConnection } from './connect-subresources.ts';
import { podStatusAddresses } from './pod/pod-addresses.ts';
import { podColumns, podRowConditions } from './pod/pod-columns.ts';
import { applyPodDefaults } from './pod/pod-defaults.ts';
import { ephemeralContainers, formerEphemeralContainers } from './pod/ephemeral.ts';
import { dropDisabledFields } from './pod/gates.ts';
import { mergeLabelKeys } from './pod/label-keys.ts';
import { qosClassOf } from './pod/qos.ts';
import { resize } from './pod/resize.ts';
import { validatePodSpec } from './pod/pod-spec.ts';
import { validatePodChange, validatePodStatus } from './pod/pod-update.ts';
import type { Pod as PodFields } from './v1.types.ts';

type Pod = Stored<PodFields>;

const spec = FieldPath.of('spec');
const defaultGraceSeconds = 30;

/** A single address stands in two fields; the older one decides when they differ. */
function alignPodIps({ status }: Pod): void {
  if (!status) return;
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first) status.podIP = first;
}

function applyDefaults(object: ApiObject, context: ApiContext): void {
  applyPodDefaults(object, context);
  alignPodIps(object);
}

function prepareForCreate(pod: Pod, context: ApiContext): void {
  pod.status = { phase: 'Pending', qosClass: qosClassOf(pod.spec) };
  if (!pod.spec) return;
  dropDisabledFields(pod.spec, undefined, context);
  mergeLabelKeys(pod.spec, pod.metadata.labels ?? {}, context);
}

function prepareForUpdate(next: Pod, current: Pod, context: ApiContext): void {
  keepStatus(next, current);
  if (next.spec) dropDisabledFields(next.spec, current.spec, context);
}

function validate(pod: Pod, context: ApiContext): FieldError[] {
  const mirror = mirrorAnnotation(context.naming);
  const value = pod.metadata.annotations?.[mirror];
  return allOf(
    validatePodSpec(pod.spec ?? {}, spec, context),
    value !== undefined && !pod.spec?.nodeName
      ? [
          invalid(
            FieldPath.of('metadata').child('annotations').key(mirror),
            value,
            'must set spec.nodeName if mirror pod annotation is set',
          ),
        ]
      : [],
  );
}

/** Metadata changes more often than the spec, whose rules were 8 % of the processor time of a replace. */
function canSkipValidation(next: Pod, current: Pod, { naming }: ApiContext): boolean {
  const mirror = mirrorAnnotation(naming);
  const isSameMirror = next.metadata.annotations?.[mirror] === current.metadata.annotations?.[mirror];
  return isSameMirror && same(next.spec, current.spec);
}

function mirrorAnnotation({ labelDomain }: NamingProfile): string {
  return `${labelDomain}/config.mirror`;
}

function validateCreate(pod: Pod): FieldError[] {
  return (pod.spec?.ephemeralContainers ?? []).length > 0
    ? [forbidden(spec.child('ephemeralContainers'), 'cannot be set on create')]
    : [];
}

/** A status write cannot change owner references. */
function prepareStatus(next: Pod, current: Pod): void {
  keepSpec(next, current);
  if (current.metadata.ownerReferences === undefined) delete next.metadata.ownerReferences;
  else next.metadata.ownerReferences = current.metadata.ownerReferences;
}

/** Nothing waits for a pod that runs nowhere or has ended. */
function gracePeriod(pod: Pod, asked: number | undefined): number {
  const phase = pod.status?.phase;
  if (!pod.spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return asked ?? toNumber(pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds);
}

const binding: SubresourceDefinition<Pod> = {
  name: 'binding',
  kind: { group: '', version: 'v1', kind: 'Binding' },
  verbs: ['create'],
  type: 'action',
  handler: 'binding',
};

const eviction: SubresourceDefinition<Pod> = {
  name: 'eviction',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  kindVersions: [
    { version: 'v1', introducedIn: '1.22' },
    // Releases that no longer serve the version take such bodies all the same, as kube-apiserver does.
    { version: 'v1beta1' },
  ],
  verbs: ['create'],
  type: 'action',
  handler: 'eviction',
};

export const pods = defineResource<Pod>({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate,
    prepareForUpdate,
    // KEP-5067
    generationSince: 33,
    bumpsGeneration: (next, current) => !same(next.spec, current.spec),
    validate,
    podOf: ({ metadata, spec: of }) => ({ metadata, spec: of, isPod: true, path: FieldPath.of('') }),
    validateCreate,
    canSkipValidation,
    validateUpdate: (next, current, context) => validatePodChange(next, current, context.naming),
    deleteReturns: 'object',
    gracePeriod,
  },
  subresources: [
    statusSubresource<Pod>({
      prepareForUpdate: prepareStatus,
      validateUpdate: validatePodStatus,
      addresses: ({ status }) => podStatusAddresses(status),
    }),
    binding,
    ephemeralContainers,
    formerEphemeralContainers,
    eviction,
    resize,
    streamConnection('attach', 'PodAttachOptions', 'stream'),
    streamConnection('exec', 'PodExecOptions', 'stream'),
    streamConnection('portforward', 'PodPortForwardOptions', 'forward-ports'),
    textConnection('log', 'PodLogOptions', 'log'),
    proxyConnection('PodProxyOptions', 'proxy-to-pod'),
  ],
  columns: podColumns,
  rowConditions: podRowConditions,
  selectableFields: {
    'spec.host': (pod) => pod.spec?.nodeName ?? '',
    'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
    'spec.nodeName': (pod) => pod.spec?.nodeName ?? '',
    'spec.restartPolicy': (pod) => pod.spec?.restartPolicy ?? '',
    'spec.schedulerName': (pod) => pod.spec?.schedulerName ?? '',
    'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? '',
    'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName ?? '',
    'status.phase': (pod) => pod.status?.phase ?? '',
    'status.podIP': (pod) => pod.status?.podIPs?.[0]?.ip ?? '',
    'status.podIPs': () => '',
  },
  laterSelectors: { 'spec.hostNetwork': '1.28' },
});
