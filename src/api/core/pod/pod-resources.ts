/** What a pod as a whole requests and is limited to (KEP-2837): defaults and rules. */
import type { FieldError } from '../../../meta/field-error.ts';
import { invalid, notSupported } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { compareQuantities } from '../../validation/quantities.ts';
import { allOf, each, eachEntry, own } from '../../validation/rules.ts';
import type { Container, PodSpec } from '../v1.types.ts';
import { containerAmounts } from './amounts.ts';
import { validateResources } from './resources.ts';

const hugePages = 'hugepages-';
const named = ['cpu', 'memory'];

/** Of a pod as a whole, processors, memory and huge pages are counted. */
function isOfPods(name: string): boolean {
  return named.includes(name) || name.startsWith(hugePages);
}

/**
 * A pod that says something of itself as a whole is limited to the huge pages that its containers are limited to, and
 * requests what they request, else what it is limited to. Mutates.
 */
export function applyPodAmounts(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources) return;
  const limits = { ...hugePagesOf(spec), ...resources.limits };
  if (Object.keys(limits).length === 0) return;
  resources.limits = limits;
  const asked = Object.entries(containerAmounts(spec, 'requests')).filter(([name]) => named.includes(name));
  const limited = Object.entries(limits).filter(([name]) => isOfPods(name));
  const requests = { ...Object.fromEntries([...limited, ...asked]), ...resources.requests };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/** The limits for huge pages that the pod itself says nothing of. */
function hugePagesOf(spec: PodSpec): Record<string, string> {
  const limits = Object.entries(containerAmounts(spec, 'limits'));
  const isLeftOut = (name: string): boolean =>
    name.startsWith(hugePages) && own(spec.resources?.requests, name) === undefined;
  return Object.fromEntries(limits.filter(([name]) => isLeftOut(name)));
}

/** The pod requests no less than its containers together, and none of them is limited to more than the pod is. */
export function validatePodAmounts(spec: PodSpec, path: FieldPath): FieldError[] {
  const { resources } = spec;
  if (!resources) return [];
  const lists = ['limits', 'requests'] as const;
  return allOf(
    ...lists.map((list) =>
      eachEntry(resources[list], path.child(list), (name, _amount, at) =>
        isOfPods(name) ? [] : [notSupported(at, name, [...named, `${hugePages}*`])],
      ),
    ),
    validateResources(resources, path),
    tooLittle(spec, path),
    each(spec.containers, path.child('limits'), ({ resources: own }) => overLimit(own, resources, path)),
    each(spec.initContainers, path.child('limits'), ({ resources: own }) => overLimit(own, resources, path)),
  );
}

function tooLittle(spec: PodSpec, path: FieldPath): FieldError[] {
  const requests = spec.resources?.requests;
  return Object.entries(containerAmounts(spec, 'requests')).flatMap(([name, amount]) => {
    const whole = own(requests, name);
    if (whole === undefined || compareQuantities(amount, whole) <= 0) return [];
    const reason = `must be greater than or equal to aggregate container requests of ${amount}`;
    return [invalid(path.child('requests').key(name), whole, reason)];
  });
}

function overLimit(
  container: Container['resources'],
  pod: NonNullable<PodSpec['resources']>,
  path: FieldPath,
): FieldError[] {
  return Object.entries(container?.limits ?? {}).flatMap(([name, amount]) => {
    const whole = own(pod.limits, name);
    if (whole === undefined || compareQuantities(amount, whole) <= 0) return [];
    return [
      invalid(path.child('limits').key(name), amount, `must be less than or equal to pod limits of ${whole}`),
    ];
  });
}
