/** What objects use of quotas, by the names that quotas know. Admission and the quota controller count the same way. */
import type { ApiObject } from '../../meta/object.ts';
import { formatQuantity } from '../../meta/quantity.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Stored } from '../define.ts';
import { affinityTerms } from './pod/affinity-terms.ts';
import { podAmounts, quantityOf } from './pod/amounts.ts';
import type {
  PersistentVolumeClaim as ClaimFields,
  Pod as PodFields,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
  Service as ServiceFields,
} from './v1.types.ts';

type Pod = Stored<PodFields>;
export type Amounts = Readonly<Record<string, string>>;

export interface CountedResource {
  readonly group: string;
  readonly resource: string;
}

export interface CountContext {
  readonly naming: NamingProfile;
  /** Milliseconds since the epoch: pods whose time to end is over count no more. */
  readonly now: number;
}

/** Resources of the core group that quotas also know by their plain name, and of which each object counts as one. */
const plainNames = ['replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps'];

/** The name under which any resource is counted: `count/deployments.apps`. */
export function countName({ group, resource }: CountedResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Whether what objects use depends on what they say; others use one of each of `namesOfOne`. */
export function dependsOnObject({ group, resource }: CountedResource): boolean {
  return group === '' && ['pods', 'services', 'persistentvolumeclaims'].includes(resource);
}

/** Names under which every object counts as one, where nothing depends on what it says. */
export function namesOfOne(counted: CountedResource): readonly string[] {
  const { group, resource } = counted;
  const isPlain = group === '' && plainNames.includes(resource);
  return isPlain ? [countName(counted), resource] : [countName(counted)];
}

/** What an object uses. */
export function usageOf(counted: CountedResource, object: ApiObject, context: CountContext): Amounts {
  if (!dependsOnObject(counted)) return Object.fromEntries(namesOfOne(counted).map((name) => [name, '1']));
  const all = { [countName(counted)]: '1' };
  switch (counted.resource) {
    case 'pods':
      return isOver(object, context.now) ? all : { ...all, ...usageOfPod(object) };
    case 'services':
      return { ...all, ...usageOfService(object) };
    default:
      return { ...all, ...usageOfClaim(object, context.naming) };
  }
}

function isOver({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  if (metadata.deletionTimestamp == null || metadata.deletionGracePeriodSeconds == null) return false;
  return now > Date.parse(metadata.deletionTimestamp) + metadata.deletionGracePeriodSeconds * 1000;
}

function usageOfPod(pod: Pod): Amounts {
  const used: Record<string, string> = { pods: '1' };
  for (const [name, amount] of Object.entries(podAmounts(pod, 'requests'))) {
    used[`requests.${name}`] = amount;
    if (!name.includes('/')) used[name] = amount;
  }
  for (const [name, amount] of Object.entries(podAmounts(pod, 'limits'))) used[`limits.${name}`] = amount;
  return used;
}

function usageOfService({ spec }: Stored<ServiceFields>): Amounts {
  const isBalanced = spec?.type === 'LoadBalancer';
  return {
    services: '1',
    'services.nodeports': String(nodePortsOf(spec)),
    'services.loadbalancers': isBalanced ? '1' : '0',
  };
}

/** How many node ports a service takes. Ports that have none yet count: they are allocated after admission. */
function nodePortsOf(spec: ServiceFields['spec']): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort > 0).length;
}

function usageOfClaim({ metadata, spec }: Stored<ClaimFields>, naming: NamingProfile): Amounts {
  const { apiDomain, labelDomain } = naming;
  const used: Record<string, string> = { persistentvolumeclaims: '1' };
  const storage = spec?.resources?.requests?.['storage'];
  if (storage !== undefined) used['requests.storage'] = storage;
  const byAnnotation = metadata.annotations?.[`volume.beta.${labelDomain}/storage-class`];
  const storageClass = byAnnotation ?? spec?.storageClassName ?? '';
  if (storageClass === '') return used;
  const classed = Object.entries(used).map(([name, amount]) => [
    `${storageClass}.storageclass.storage.${apiDomain}/${name}`,
    amount,
  ]);
  return { ...used, ...(Object.fromEntries(classed) as Amounts) };
}

/** Amounts without those that a quota does not limit. */
export function limitedBy(hard: Amounts, used: Amounts): Amounts {
  const limited: Record<string, string> = {};
  for (const name of Object.keys(hard)) {
    const amount = Object.hasOwn(used, name) ? used[name] : undefined;
    if (amount !== undefined) limited[name] = amount;
  }
  return limited;
}

/** What is in `a` and not in `b`, name by name; what makes no difference is left out. */
export function difference(a: Amounts, b: Amounts): Amounts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const all = names.map((name) => {
    const [left, right] = [quantityOf(a[name]), quantityOf(b[name])];
    return [name, { nanos: left.nanos - right.nanos, format: left.format }] as const;
  });
  return Object.fromEntries(
    all.filter(([, { nanos }]) => nanos !== 0n).map(([name, amount]) => [name, formatQuantity(amount)]),
  );
}

/** Whether a quota counts only what is in its scopes. */
export function hasScopes({ scopes, scopeSelector }: ResourceQuotaSpec): boolean {
  return (scopes ?? []).length > 0 || (scopeSelector?.matchExpressions ?? []).length > 0;
}

/** Whether quotas count an object: a scope excludes everything but pods that are in it. */
export class ScopedObject {
  readonly #pod: ScopedPod | undefined;

  constructor({ group, resource }: CountedResource, object: ApiObject) {
    if (group === '' && resource === 'pods') this.#pod = new ScopedPod(object);
  }

  isInScope(spec: ResourceQuotaSpec): boolean {
    if (!hasScopes(spec)) return true;
    const { scopes = [], scopeSelector } = spec;
    const expressions = scopeSelector?.matchExpressions ?? [];
    const pod = this.#pod;
    if (!pod) return false;
    return (
      scopes.every((scopeName) => pod.matches({ scopeName, operator: 'Exists' })) &&
      expressions.every((requirement) => pod.matches(requirement))
    );
  }
}

/** What scopes ask of a pod; each is looked at once, however many quotas there are. */
class ScopedPod {
  readonly #pod: Pod;
  #isBestEffort: boolean | undefined;
  #isAcross: boolean | undefined;

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  matches(requirement: ScopedResourceSelectorRequirement): boolean {
    const { spec } = this.#pod;
    const isEnding = (spec?.activeDeadlineSeconds ?? -1) >= 0;
    switch (requirement.scopeName ?? '') {
      case 'Terminating':
        return isEnding;
      case 'NotTerminating':
        return !isEnding;
      case 'BestEffort':
        return this.#hasBestEffort();
      case 'NotBestEffort':
        return !this.#hasBestEffort();
      case 'CrossNamespacePodAffinity':
        return (this.#isAcross ??= usesCrossNamespaceAffinity(this.#pod));
      case 'PriorityClass':
        return matchesClass(requirement, spec?.priorityClassName ?? '');
      default:
        return false;
    }
  }

  #hasBestEffort(): boolean {
    return (this.#isBestEffort ??= isBestEffort(this.#pod));
  }
}

function matchesClass(
  { operator, values }: ScopedResourceSelectorRequirement,
  priorityClass: string,
): boolean {
  switch (operator ?? '') {
    case 'In':
      return values?.includes(priorityClass) ?? false;
    case 'NotIn':
      return !(values?.includes(priorityClass) ?? false);
    case 'DoesNotExist':
      return priorityClass === '';
    default:
      return priorityClass !== '';
  }
}

/** It is placed near or away from pods of other namespaces than its own. */
function usesCrossNamespaceAffinity({ spec }: Pod): boolean {
  return affinityTerms(spec ?? {}).some(
    ({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector != null,
  );
}

/** Nothing is asked for and nothing limited, as far as the quality of service looks. */
function isBestEffort({ spec }: Pod): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.every(({ resources }) =>
    [resources?.requests, resources?.limits].every((amounts) =>
      ['cpu', 'memory'].every((name) => quantityOf(amounts?.[name]).nanos === 0n),
    ),
  );
}
