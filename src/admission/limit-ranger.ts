/**
 * LimitRanger: what containers ask for is filled in from the namespace's LimitRanges, and what pods, containers and
 * claims ask for must lie within them.
 */
import type {
  Container,
  LimitRange as LimitRangeFields,
  LimitRangeItem,
  PersistentVolumeClaim as ClaimFields,
  Pod as PodFields,
  ResourceRequirements,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './chain.ts';
import { faultsOfAmounts, type Bounded } from './limit-range-bounds.ts';
import type { ObjectReader } from './object-reader.ts';
import { podAmounts } from '../api/core/pod/amounts.ts';

type Pod = Stored<PodFields>;

export function createLimitRanger(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  const itemsOf = ({ scope }: AdmissionAttributes): LimitRangeItem[] =>
    reader
      .list('core/limitranges', `${scope.namespace}/`)
      .flatMap((range) => (range as Stored<LimitRangeFields>).spec?.limits ?? []);
  return {
    name: 'LimitRanger',
    admit(attributes): void {
      if (isPodCreation(attributes)) fillPod(attributes.object as Pod, itemsOf(attributes), naming);
    },
    validate(attributes): void {
      // Most namespaces have no limits: nobody has to sum up what a pod asks for there.
      const items = isBounded(attributes) ? itemsOf(attributes) : [];
      if (items.length > 0) assertWithin(attributes, boundedBy(attributes), items);
    },
  };
}

/** What containers ask for is settled when their pod is made. */
function isPodCreation(attributes: AdmissionAttributes): boolean {
  return attributes.operation === 'CREATE' && isAbout(attributes, 'pods');
}

function fillPod(pod: Pod, items: readonly LimitRangeItem[], { labelDomain }: NamingProfile): void {
  const defaults = items.filter(({ type }) => type === 'Container');
  const told = [
    ...(pod.spec?.containers ?? []).flatMap((c) => fillContainer(c, defaults, 'container')),
    ...(pod.spec?.initContainers ?? []).flatMap((c) => fillContainer(c, defaults, 'init container')),
  ];
  if (told.length === 0) return;
  const text = `LimitRanger plugin set: ${told.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [`${labelDomain}/limit-ranger`]: text };
}

function fillContainer(container: Container, items: readonly LimitRangeItem[], what: string): string[] {
  const name = container.name ?? '';
  const resources = (container.resources ??= {});
  const requests = fillAmounts(resources, 'requests', mergedOf(items, 'defaultRequest'));
  const limits = fillAmounts(resources, 'limits', mergedOf(items, 'default'));
  return [
    ...(requests.length > 0 ? [`${requests.join(', ')} request for ${what} ${name}`] : []),
    ...(limits.length > 0 ? [`${limits.join(', ')} limit for ${what} ${name}`] : []),
  ];
}

/** Where several ranges say a default, the last one counts. */
function mergedOf(
  items: readonly LimitRangeItem[],
  list: 'default' | 'defaultRequest',
): Record<string, string> {
  return Object.assign({}, ...items.map((item) => item[list])) as Record<string, string>;
}

/** @returns the names of what was filled in, sorted */
function fillAmounts(
  resources: ResourceRequirements,
  list: 'requests' | 'limits',
  defaults: Readonly<Record<string, string>>,
): string[] {
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(resources[list] ?? {}, name));
  if (missing.length > 0) resources[list] = { ...defaults, ...resources[list] };
  return missing.sort();
}

/** Pods when they are made, and claims that are not about to go. */
function isBounded(attributes: AdmissionAttributes): boolean {
  const { operation, oldObject } = attributes;
  if (isPodCreation(attributes)) return true;
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  if (!isWrite || !isAbout(attributes, 'persistentvolumeclaims')) return false;
  return oldObject?.metadata.deletionTimestamp == null;
}

/** What such a write asks for, by the types of limits that bound it. */
function boundedBy(attributes: AdmissionAttributes): Bounded[] {
  const { object } = attributes;
  if (isPodCreation(attributes)) return boundedOfPod(object as Pod);
  const claim = object as Stored<ClaimFields>;
  const requests = claim.spec?.resources?.requests ?? {};
  return [{ type: 'PersistentVolumeClaim', requests, limits: undefined }];
}

function boundedOfPod(pod: Pod): Bounded[] {
  const { containers, initContainers } = pod.spec ?? {};
  const each = [...(containers ?? []), ...(initContainers ?? [])].map(({ resources = {} }) => ({
    type: 'Container',
    requests: resources.requests ?? {},
    limits: resources.limits ?? {},
  }));
  const whole = { requests: podAmounts(pod, 'requests'), limits: podAmounts(pod, 'limits') };
  return [...each, { type: 'Pod', ...whole }];
}

/** @throws StatusError 403 */
function assertWithin(
  { scope, name }: AdmissionAttributes,
  bounded: readonly Bounded[],
  items: readonly LimitRangeItem[],
): void {
  const faults = items.flatMap((item) =>
    bounded.filter(({ type }) => type === item.type).flatMap((amounts) => faultsOfAmounts(item, amounts)),
  );
  const told = [...new Set(faults)];
  if (told.length === 0) return;
  throw forbidden(scope.resource.gvr, name, told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]`);
}
