/** What may change in a pod once it exists. */
import type { FieldError } from '../../../meta/field-error.ts';
import { errorsOf, forbidden, invalid } from '../../../meta/field-error.ts';
import { FieldPath } from '../../../meta/field-path.ts';
import type { NamingProfile } from '../../../meta/naming.ts';
import type { Stored } from '../../define.ts';
import { ipAddress, ipFamily } from '../../validation/net.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each, given, nonNegative, obeys, sameExcept, toNumber } from '../../validation/rules.ts';
import { dns1123Subdomain, qualifiedName } from '../../validation/name-rules.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../v1.types.ts';
import { onlyAddsTolerations } from './tolerations.ts';

type StoredPod = Stored<Pod>;

const spec = FieldPath.of('spec');
const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, ' +
  '`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)';

/** Errors in a change of the pod itself; every other rule of pods is checked elsewhere. */
export function validatePodChange(next: StoredPod, current: StoredPod, naming: NamingProfile): FieldError[] {
  const to = next.spec ?? {};
  const from = current.spec ?? {};
  const errors = annotationErrors(next, current, naming);
  if (to === from) return errors;
  return allOf(
    errors,
    countErrors(to, from),
    deadlineErrors(to, from),
    gateErrors(to, from),
    otherErrors(to, from),
  );
}

const annotations = FieldPath.of('metadata').child('annotations');

/** Annotations that the node agent has acted upon. */
function annotationErrors(next: StoredPod, current: StoredPod, naming: NamingProfile): FieldError[] {
  const to = next.metadata.annotations ?? {};
  const from = current.metadata.annotations ?? {};
  if (to === from) return [];
  const mirror = `${naming.labelDomain}/config.mirror`;
  const profiles = `container.apparmor.security.beta.${naming.labelDomain}/`;
  const changed = (key: string): boolean =>
    (key === mirror || key.startsWith(profiles)) && to[key] !== from[key];
  const added = (key: string): boolean => !Object.hasOwn(from, key) && changed(key);
  return [...Object.keys(from).filter(changed), ...Object.keys(to).filter(added)].map((key) =>
    forbidden(annotations.key(key), 'may not be added, changed or removed'),
  );
}

const containerLists = ['containers', 'initContainers'] as const;

function countErrors(to: PodSpec, from: PodSpec): FieldError[] {
  return containerLists
    .filter((field) => (to[field] ?? []).length !== (from[field] ?? []).length)
    .map((field) => forbidden(spec.child(field), 'pod updates may not add or remove containers'));
}

function deadlineErrors(to: PodSpec, from: PodSpec): FieldError[] {
  const path = spec.child('activeDeadlineSeconds');
  if (from.activeDeadlineSeconds == null) return [];
  if (to.activeDeadlineSeconds == null) {
    return [invalid(path, undefined, 'must not update from a positive integer to nil value')];
  }
  return toNumber(to.activeDeadlineSeconds) > toNumber(from.activeDeadlineSeconds)
    ? [invalid(path, to.activeDeadlineSeconds, 'must be less than or equal to previous value')]
    : [];
}

function otherErrors(to: PodSpec, from: PodSpec): FieldError[] {
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
    (sameExcept(to, from, isGated(from) ? changeableWhileGated : changeableFields) &&
      sameContainers(to.containers, from.containers) &&
      sameContainers(to.initContainers, from.initContainers));
  return isSame ? tolerations : [...tolerations, forbidden(spec, changeable)];
}

/** What an update may change, and the lists whose items it may change in part. */
const changeableFields: readonly string[] = ['activeDeadlineSeconds', 'tolerations', ...containerLists];
const changeableOfContainer: readonly string[] = ['image'];
/** A pod that is not to be scheduled yet may be told where (KEP-3838). */
const changeableWhileGated: readonly string[] = [
  ...changeableFields,
  'schedulingGates',
  'nodeSelector',
  'affinity',
];

function isGated({ schedulingGates }: PodSpec): boolean {
  return (schedulingGates ?? []).length > 0;
}

/** Gates can only be removed. */
function gateErrors(to: PodSpec, from: PodSpec): FieldError[] {
  const known = new Set((from.schedulingGates ?? []).map(({ name }) => name));
  return (to.schedulingGates ?? []).some(({ name }) => !known.has(name))
    ? [forbidden(spec.child('schedulingGates'), 'only deletion is allowed, but found new scheduling gates')]
    : [];
}

/** Of two lists of one length. */
function sameContainers(to: Maybe<readonly Container[]>, from: Maybe<readonly Container[]>): boolean {
  if (to === from || !to || !from) return true;
  return to.every((container, i) => sameExcept(container, from[i] ?? {}, changeableOfContainer));
}

/** Errors in a write to the status: a container that terminated permanently stays terminated. */
export function validatePodStatus(next: StoredPod, current: StoredPod): FieldError[] {
  const path = FieldPath.of('status');
  const policy = current.spec?.restartPolicy;
  const to = next.status ?? {};
  const from = current.status ?? {};
  return allOf(
    addressErrors(to.podIPs, path.child('podIPs')),
    addressErrors(to.hostIPs, path.child('hostIPs')),
    given(to.nominatedNodeName || undefined, path.child('nominatedNodeName'), obeys(dns1123Subdomain)),
    each(to.conditions, path.child('conditions'), (condition, at) =>
      obeys(qualifiedName)(condition.type ?? '', at.child('type')),
    ),
    (['containerStatuses', 'initContainerStatuses'] as const).flatMap((field) =>
      allOf(
        each(to[field], path.child(field), (status, at) =>
          given(status.restartCount, at.child('restartCount'), nonNegative),
        ),
        stayEnded(
          to[field],
          from[field],
          field === 'initContainerStatuses' && policy === 'Always' ? 'OnFailure' : policy,
          path.child(field),
        ),
      ),
    ),
  );
}

/** One address, or one of each family. */
function addressErrors(
  list: Maybe<readonly { readonly ip?: string | undefined }[]>,
  path: FieldPath,
): FieldError[] {
  const all = (list ?? []).map(({ ip }) => ip ?? '');
  const isMixed = all.length < 2 || (all.length === 2 && new Set(all.map(ipFamily)).size === 2);
  return allOf(
    each(all, path, (ip, at) => ipAddress(ip, at.child('ip'))),
    isMixed ? [] : [invalid(path, list, 'may specify no more than one IP for each IP family')],
  );
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
  const places = new Map((to ?? []).map(({ name }, i) => [name, i] as const).toReversed());
  return errorsOf(ended, ({ name }) => {
    const position = places.get(name);
    return position !== undefined && to?.[position]?.state?.terminated == null
      ? [forbidden(path.index(position).child('state'), 'may not be transitioned to non-terminated state')]
      : [];
  });
}
