/** Resources of a pod's containers that change while it runs: by a subresource of its own (KEP-1287). */
import type { FieldError } from '../../../meta/field-error.ts';
import { errorsOf, forbidden, invalid } from '../../../meta/field-error.ts';
import { FieldPath } from '../../../meta/field-path.ts';
import { keepMetadata, type Stored } from '../../define.ts';
import type { ApiContext, SubresourceDefinition } from '../../types.ts';
import { compareQuantities } from '../../validation/quantities.ts';
import { allOf, own, same, sameExcept, type Maybe } from '../../validation/rules.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../v1.types.ts';
import { validatePodSpec } from './pod-spec.ts';
import { qosClassOf } from './qos.ts';

type StoredPod = Stored<Pod>;

const spec = FieldPath.of('spec');
const lists = ['containers', 'initContainers'] as const;
const amounts = ['limits', 'requests'] as const;
const resizable = ['cpu', 'memory'];
/** Since this release a container may try to go on with less memory. */
const mayShrinkSince = 34;

/** Of the pod only what its containers request and are limited to is taken; they are found by name. */
function prepareForUpdate(next: StoredPod, current: StoredPod): void {
  const sent = next.spec ?? {};
  keepMetadata(next, current);
  next.status = current.status;
  next.spec = { ...current.spec };
  for (const list of lists) {
    const containers = current.spec?.[list];
    if (containers) next.spec[list] = resized(containers, sent[list] ?? []);
  }
}

function resized(containers: readonly Container[], sent: readonly Container[]): Container[] {
  const byName = new Map(sent.map((container) => [container.name, container]));
  return containers.map((container) => {
    const wanted = byName.get(container.name);
    if (wanted === undefined) return container;
    const { resources, resizePolicy } = wanted;
    return { ...container, resources, resizePolicy };
  });
}

function validateUpdate(next: StoredPod, current: StoredPod, context: ApiContext): FieldError[] {
  const [to, from] = [next.spec ?? {}, current.spec ?? {}];
  return allOf(
    validatePodSpec(to, spec, context),
    refusals(current, context),
    classErrors(to, from),
    lists.flatMap((list) => listErrors(to, from, list, context)),
  );
}

/** Pods that keep what they have. */
function refusals({ metadata, spec: { os } = {} }: StoredPod, { naming }: ApiContext): FieldError[] {
  const isStatic = metadata.annotations?.[`${naming.labelDomain}/config.mirror`] !== undefined;
  return [
    ...(isStatic ? [forbidden(FieldPath.of(''), 'static pods cannot be resized')] : []),
    ...(os?.name === 'windows' ? [forbidden(FieldPath.of(''), 'windows pods cannot be resized')] : []),
  ];
}

function classErrors(to: PodSpec, from: PodSpec): FieldError[] {
  const wanted = qosClassOf(to);
  if (wanted === qosClassOf(from)) return [];
  return [invalid(spec, wanted, 'Pod QOS Class may not change as a result of resizing')];
}

function listErrors(
  to: PodSpec,
  from: PodSpec,
  list: (typeof lists)[number],
  context: ApiContext,
): FieldError[] {
  const before = from[list] ?? [];
  return errorsOf([...(to[list] ?? []).entries()], ([i, container]) => {
    const known = before[i] ?? {};
    if (same(container.resources, known.resources) && same(container.resizePolicy, known.resizePolicy))
      return [];
    if (list === 'initContainers' && container.restartPolicy !== 'Always')
      return [forbidden(spec, 'resources for non-sidecar init containers are immutable')];
    return containerErrors(container, known, { path: spec.child(list).index(i), context });
  });
}

interface Place {
  readonly path: FieldPath;
  readonly context: ApiContext;
}

function containerErrors(next: Container, current: Container, { path, context }: Place): FieldError[] {
  const [to, from] = [next.resources ?? {}, current.resources ?? {}];
  const at = path.child('resources');
  const isFixed =
    same(next.resizePolicy, current.resizePolicy) &&
    sameExcept(to, from, amounts) &&
    amounts.every((list) => sameExcept(to[list] ?? {}, from[list] ?? {}, resizable));
  return allOf(
    isFixed ? [] : [forbidden(spec, 'only cpu and memory resources are mutable')],
    amounts.flatMap((list) => removals(to, from, at.child(list), list)),
    shrinks(next, from, context) ? [forbidden(at.child('limits'), mayNotShrink)] : [],
  );
}

const mayNotShrink = 'memory limits cannot be decreased unless resizePolicy is RestartContainer';

function removals(
  to: ResourceRequirements,
  from: ResourceRequirements,
  path: FieldPath,
  list: (typeof amounts)[number],
): FieldError[] {
  const isRemoved = (name: string): boolean =>
    own(from[list], name) !== undefined && own(to[list], name) === undefined;
  return resizable.some(isRemoved) ? [forbidden(path, `resource ${list} cannot be removed`)] : [];
}

function shrinks(next: Container, from: ResourceRequirements, { release }: ApiContext): boolean {
  if (release !== undefined && release.minor >= mayShrinkSince) return false;
  const policy = (next.resizePolicy ?? []).find(({ resourceName }) => resourceName === 'memory');
  const [wanted, known] = [memoryLimit(next.resources), memoryLimit(from)];
  if (policy?.restartPolicy === 'RestartContainer' || wanted === undefined || known === undefined)
    return false;
  return compareQuantities(wanted, known) < 0;
}

function memoryLimit(resources: Maybe<ResourceRequirements>): string | undefined {
  return own(resources?.limits, 'memory');
}

export const resize: SubresourceDefinition<StoredPod> = {
  name: 'resize',
  featureGate: 'InPlacePodVerticalScaling',
  introducedIn: '1.32',
  verbs: ['get', 'patch', 'update'],
  type: 'object',
  prepareForUpdate,
  validateUpdate,
};
