/** What may change in a pod once it exists. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid } from '../../../meta/field-error.ts';
import { FieldPath } from '../../../meta/field-path.ts';
import type { NamingProfile } from '../../../meta/naming.ts';
import type { Stored } from '../../define.ts';
import type { Maybe } from '../../validation/rules.ts';
import { each, given, nonNegative, same, toNumber, obeys } from '../../validation/rules.ts';
import { dns1123Subdomain, qualifiedName } from '../../validation/names.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../v1.types.ts';
import { onlyAddsTolerations } from './tolerations.ts';

type StoredPod = Stored<Pod>;

const spec = FieldPath.of('spec');
const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, ' +
  '`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)';

/** Faults of a change of the pod itself; every other rule of pods is asked elsewhere. */
export function validatePodChange(next: StoredPod, current: StoredPod, naming: NamingProfile): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  return [
    ...annotationFaults(next, current, naming),
    ...countFaults(to, from),
    ...deadlineFaults(to, from),
    ...otherFaults(to, from),
  ];
}

/** Annotations that the node agent has acted upon. */
function annotationFaults(next: StoredPod, current: StoredPod, naming: NamingProfile): FieldError[] {
  const path = FieldPath.of('metadata').child('annotations');
  const to = next.metadata.annotations ?? {};
  const from = current.metadata.annotations ?? {};
  const fixed = (key: string): boolean =>
    key === `${naming.labelDomain}/config.mirror` ||
    key.startsWith(`container.apparmor.security.beta.${naming.labelDomain}/`);
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((key) => fixed(key) && to[key] !== from[key])
    .map((key) => forbidden(path.key(key), 'may not be added, changed or removed'));
}

function countFaults(to: PodSpec, from: PodSpec): FieldError[] {
  return (['containers', 'initContainers'] as const)
    .filter((field) => (to[field] ?? []).length !== (from[field] ?? []).length)
    .map((field) => forbidden(spec.child(field), 'pod updates may not add or remove containers'));
}

function deadlineFaults(to: PodSpec, from: PodSpec): FieldError[] {
  const path = spec.child('activeDeadlineSeconds');
  if (from.activeDeadlineSeconds == null) return [];
  if (to.activeDeadlineSeconds == null) {
    return [invalid(path, undefined, 'must not update from a positive integer to nil value')];
  }
  return toNumber(to.activeDeadlineSeconds) > toNumber(from.activeDeadlineSeconds)
    ? [invalid(path, to.activeDeadlineSeconds, 'must be less than or equal to previous value')]
    : [];
}

function otherFaults(to: PodSpec, from: PodSpec): FieldError[] {
  const tolerations = onlyAddsTolerations(to.tolerations, from.tolerations)
    ? []
    : [
        forbidden(
          spec.child('tolerations'),
          'existing toleration can not be modified except its tolerationSeconds',
        ),
      ];
  const isSame =
    (to.containers ?? []).length !== (from.containers ?? []).length ||
    (to.initContainers ?? []).length !== (from.initContainers ?? []).length ||
    same(fixedPart(to), fixedPart(from));
  return isSame ? tolerations : [...tolerations, forbidden(spec, changeable)];
}

/** The spec without what an update may change. */
function fixedPart(of: PodSpec): object {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    containers,
    initContainers,
    ...rest
  } = of;
  return {
    ...rest,
    containers: (containers ?? []).map(withoutImage),
    initContainers: (initContainers ?? []).map(withoutImage),
  };
}

function withoutImage(container: Container): Container {
  const { image: _image, ...rest } = container;
  return rest;
}

/** Faults of a write to the status: a container that ended for good stays ended. */
export function validatePodStatus(next: StoredPod, current: StoredPod): FieldError[] {
  const path = FieldPath.of('status');
  const policy = current.spec?.restartPolicy;
  const to = next.status ?? {};
  const from = current.status ?? {};
  return [
    ...given(to.nominatedNodeName || undefined, path.child('nominatedNodeName'), obeys(dns1123Subdomain)),
    ...each(to.conditions, path.child('conditions'), (condition, at) =>
      obeys(qualifiedName)(condition.type ?? '', at.child('type')),
    ),
    ...(['containerStatuses', 'initContainerStatuses'] as const).flatMap((field) => [
      ...each(to[field], path.child(field), (status, at) =>
        given(status.restartCount, at.child('restartCount'), nonNegative),
      ),
      ...stayEnded(
        to[field],
        from[field],
        field === 'initContainerStatuses' && policy === 'Always' ? 'OnFailure' : policy,
        path.child(field),
      ),
    ]),
  ];
}

function stayEnded(
  to: Maybe<readonly ContainerStatus[]>,
  from: Maybe<readonly ContainerStatus[]>,
  policy: string | undefined,
  path: FieldPath,
): FieldError[] {
  if (policy === 'Always') return [];
  const ended = (from ?? []).filter(
    ({ state }) => state?.terminated != null && !(policy === 'OnFailure' && state.terminated.exitCode !== 0),
  );
  return ended.flatMap(({ name }) => {
    const position = (to ?? []).findIndex((status) => status.name === name);
    return position >= 0 && to?.[position]?.state?.terminated == null
      ? [forbidden(path.index(position).child('state'), 'may not be transitioned to non-terminated state')]
      : [];
  });
}
