/** The spec of a pod, in a Pod or in a template. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { validateAnnotations, validateLabels } from '../../validation/labels.ts';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../validation/name-rules.ts';
import { ipFamily } from '../../validation/net.ts';
import {
  allOf,
  between,
  each,
  given,
  givenFields,
  need,
  obeys,
  oneOf,
  repeatedNames,
} from '../../validation/rules.ts';
import type { PodResourceClaim, PodSpec, PodTemplateSpec } from '../v1.types.ts';
import { validateAffinity, validateTopologySpread } from './affinity.ts';
import { validateContainers } from './containers.ts';
import { validateDns } from './dns.ts';
import { validateHostPorts } from './container-ports.ts';
import { validatePodAmounts } from './pod-resources.ts';
import { validateOverhead } from './resources.ts';
import { validatePrivileged, type PodRights } from './privileged.ts';
import { validatePodSecurityContext, validateProcessSharing } from './security-context.ts';
import { mergesSpreadKeys } from './label-keys.ts';
import { validateTolerations } from './tolerations.ts';
import { validateVolumes } from './pod-volumes.ts';

export const activeDeadline = between(1, 2 ** 31 - 1);

/** Every error in a pod's spec. */
export function validatePodSpec(spec: PodSpec, path: FieldPath, rights: PodRights): FieldError[] {
  return allOf(
    validateVolumes(spec.volumes, path.child('volumes')),
    validateContainers(spec, path, rights),
    validatePrivileged(spec, path, rights),
    need(spec.restartPolicy, path.child('restartPolicy')),
    need(spec.dnsPolicy, path.child('dnsPolicy')),
    validateHostPorts(spec, path),
    validatePodSecurityContext(spec, path.child('securityContext')),
    validateProcessSharing(spec, path),
    validateNames(spec, path),
    validateScheduling(spec, path, rights),
    given(spec.activeDeadlineSeconds, path.child('activeDeadlineSeconds'), activeDeadline),
    validateDns(spec, path, rights),
    validateHosts(spec, path),
    validateUsers(spec, path, rights),
    validateOverhead(spec.overhead, path.child('overhead')),
    validatePodAmounts(spec, path.child('resources')),
    validateLaterParts(spec, path),
    each(spec.readinessGates, path.child('readinessGates'), (gate, at) =>
      isQualifiedName(gate.conditionType ?? '', at.child('conditionType')),
    ),
  );
}

const operatingSystems = ['linux', 'windows'];

/** Parts of the spec that came after release 1.21. */
function validateLaterParts(spec: PodSpec, path: FieldPath): FieldError[] {
  const claims = path.child('resourceClaims');
  const gates = path.child('schedulingGates');
  return allOf(
    given(spec.os, path.child('os'), ({ name }, at) => need(name, at.child('name'), oneOf(operatingSystems))),
    each(spec.schedulingGates, gates, ({ name }, at) => isQualifiedName(name ?? '', at.child('name'))),
    repeatedNames(spec.schedulingGates, gates),
    (spec.schedulingGates ?? []).length > 0 && (spec.nodeName ?? '') !== ''
      ? [forbidden(path.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')]
      : [],
    each(spec.resourceClaims, claims, validateClaim),
    repeatedNames(spec.resourceClaims, claims),
    given(spec.hostnameOverride, path.child('hostnameOverride'), subdomainOrNothing),
  );
}

/** A claim by name, or one made from a template. */
function validateClaim(claim: PodResourceClaim, path: FieldPath): FieldError[] {
  const { name, source } = claim;
  // Until release 1.30 they stood in a member of their own.
  const { resourceClaimName, resourceClaimTemplateName } = source ?? claim;
  return allOf(
    need(name, path.child('name'), obeys(dns1123Label)),
    (resourceClaimName == null) === (resourceClaimTemplateName == null)
      ? [invalid(path, name, 'must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`')]
      : [],
  );
}

const references = ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const;
const hostNames = ['hostname', 'subdomain'] as const;

const subdomainOrNothing = obeys((name) => (name === '' ? [] : dns1123Subdomain(name)));
const labelOrNothing = obeys((name) => (name === '' ? [] : dns1123Label(name)));
const isQualifiedName = obeys(qualifiedName);

/** References to other objects by name. */
function validateNames(spec: PodSpec, path: FieldPath): FieldError[] {
  return allOf(
    givenFields(spec, references, path, subdomainOrNothing),
    givenFields(spec, hostNames, path, labelOrNothing),
    each(spec.imagePullSecrets, path.child('imagePullSecrets'), (ref, at) =>
      need(ref.name, at.child('name')),
    ),
  );
}

function validateScheduling(spec: PodSpec, path: FieldPath, rights: PodRights): FieldError[] {
  return allOf(
    validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    validateAffinity(spec.affinity, path.child('affinity')),
    validateTolerations(spec.tolerations, path.child('tolerations'), rights),
    validateTopologySpread(
      spec.topologySpreadConstraints,
      path.child('topologySpreadConstraints'),
      mergesSpreadKeys(rights),
    ),
  );
}

function validateHosts(spec: PodSpec, path: FieldPath): FieldError[] {
  return each(spec.hostAliases, path.child('hostAliases'), (alias, at) =>
    allOf(
      ipFamily(alias.ip ?? '') === undefined
        ? [invalid(at.child('ip'), alias.ip ?? '', 'must be valid IP address')]
        : [],
      each(alias.hostnames, at.child('hostnames'), obeys(dns1123Subdomain)),
    ),
  );
}

/** Users of their own and the network of the host are not for one pod, unless feature gate UserNamespacesHostNetworkSupport is on. */
function validateUsers(spec: PodSpec, path: FieldPath, { isFeatureEnabled }: PodRights): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter(
    (field) =>
      spec[field] === true &&
      !(field === 'hostNetwork' && isFeatureEnabled('UserNamespacesHostNetworkSupport')),
  );
  return shared.map((field) => forbidden(path.child(field), 'when `hostUsers` is false'));
}

/** A template of pods: labels, annotations and a spec. */
export function validatePodTemplate(
  template: PodTemplateSpec,
  path: FieldPath,
  rights: PodRights,
): FieldError[] {
  const meta = path.child('metadata');
  const spec = path.child('spec');
  return allOf(
    validateLabels(template.metadata?.labels, meta.child('labels')),
    validateAnnotations(template.metadata?.annotations, meta.child('annotations')),
    validatePodSpec(template.spec ?? {}, spec, rights),
    (template.spec?.ephemeralContainers ?? []).length > 0
      ? [
          invalid(
            spec.child('ephemeralContainers'),
            template.spec?.ephemeralContainers,
            'ephemeral containers not allowed in pod template',
          ),
        ]
      : [],
  );
}
