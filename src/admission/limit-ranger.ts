/**
 * LimitRanger: fills in default requests and limits of containers from the namespace's LimitRanges, and checks requests
 * and limits of pods, containers and claims against them.
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
import { maxFieldErrors } from '../meta/field-error.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { boundsOf, countOf, errorsOfAmounts, type Bounded } from './limit-range-bounds.ts';
import type { ObjectReader } from './object-reader.ts';
import { podAmounts } from '../api/core/pod/amounts.ts';

type Pod = Stored<PodFields>;

/** The limits of a namespace times the containers of a pod; either may be thousands. */
const maxAmounts = 200_000;
/** More of them, or larger ranges, take tens of milliseconds: such writes move to where large ones are carried out. */
const fewAmounts = 5_000;
const smallBytes = 64 * 1024;

export function createLimitRanger(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  /** @throws GrownWrite where there is much to do */
  const itemsOf = (attributes: AdmissionAttributes): LimitRangeItem[] => {
    const { growth, namespace } = attributes.scope;
    const where = ['core/limitranges', `${namespace}/`] as const;
    const bytes = growth === 'moves' ? (reader.bytesOf?.(...where) ?? 1) : 1;
    if (bytes === 0) return [];
    if (bytes > smallBytes) throw new GrownWrite();
    const items = reader
      .list(...where)
      .flatMap((range) => (range as Stored<LimitRangeFields>).spec?.limits ?? []);
    if (growth === 'moves' && amountsIn(items) * containersOf(attributes) > fewAmounts)
      throw new GrownWrite();
    return items;
  };
  return {
    name: 'LimitRanger',
    admit(attributes): void {
      const items = isPodCreation(attributes) ? itemsOf(attributes) : [];
      if (items.length > 0) fillPod(attributes, items, naming);
    },
    validate(attributes): void {
      // Most namespaces have no limits: then the requests of a pod need not be summed up.
      const items = isBounded(attributes) ? itemsOf(attributes) : [];
      if (items.length > 0) assertWithin(attributes, boundedBy(attributes), items);
    },
  };
}

/** The amounts that the items name. */
function amountsIn(items: readonly LimitRangeItem[]): number {
  const lists = ['default', 'defaultRequest', 'min', 'max', 'maxLimitRequestRatio'] as const;
  return items.reduce(
    (sum, item) => lists.reduce((all, list) => all + Object.keys(item[list] ?? {}).length, sum),
    0,
  );
}

/** Containers of a pod; a claim counts as one. */
function containersOf(attributes: AdmissionAttributes): number {
  if (!isPodCreation(attributes) && !isResize(attributes)) return 1;
  const { containers, initContainers } = (attributes.object as Pod).spec ?? {};
  return (containers?.length ?? 0) + (initContainers?.length ?? 0);
}

/** Only then defaults are set. */
function isPodCreation(attributes: AdmissionAttributes): boolean {
  return attributes.operation === 'CREATE' && isAbout(attributes, 'pods');
}

/** @throws StatusError 403 where the defaults would make the pod too large */
function fillPod(
  attributes: AdmissionAttributes,
  items: readonly LimitRangeItem[],
  { labelDomain }: NamingProfile,
): void {
  const pod = attributes.object as Pod;
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers ?? [];
  const defaults = defaultsOf(items.filter(({ type }) => type === 'Container'));
  const names = Object.keys(defaults.requests).length + Object.keys(defaults.limits).length;
  if (names * (containers.length + initContainers.length) > maxAmounts)
    throw tooMuch(attributes, 'set more default amounts');
  const texts = [
    ...containers.flatMap((container) => fillContainer(container, defaults, 'container')),
    ...initContainers.flatMap((container) => fillContainer(container, defaults, 'init container')),
  ];
  if (texts.length === 0) return;
  const text = `LimitRanger plugin set: ${texts.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [`${labelDomain}/limit-ranger`]: text };
}

interface Defaults {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

function defaultsOf(items: readonly LimitRangeItem[]): Defaults {
  return { requests: mergedOf(items, 'defaultRequest'), limits: mergedOf(items, 'default') };
}

function fillContainer(container: Container, defaults: Defaults, what: string): string[] {
  const name = container.name ?? '';
  const resources = (container.resources ??= {});
  const requests = fillAmounts(resources, 'requests', defaults.requests);
  const limits = fillAmounts(resources, 'limits', defaults.limits);
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

/** A pod whose containers get other amounts while it runs. */
function isResize(attributes: AdmissionAttributes): boolean {
  return attributes.operation === 'UPDATE' && isAbout(attributes, 'pods', 'resize');
}

/** Pods when they are made or resized, and claims that are not about to go. */
function isBounded(attributes: AdmissionAttributes): boolean {
  const { operation, oldObject } = attributes;
  if (isPodCreation(attributes) || isResize(attributes)) return true;
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  if (!isWrite || !isAbout(attributes, 'persistentvolumeclaims')) return false;
  return oldObject?.metadata.deletionTimestamp == null;
}

/** Requests and limits of the write, by the types of limits that bound them. */
function boundedBy(attributes: AdmissionAttributes): Bounded[] {
  const { object } = attributes;
  if (isPodCreation(attributes) || isResize(attributes)) return boundedOfPod(object as Pod);
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
  attributes: AdmissionAttributes,
  bounded: readonly Bounded[],
  items: readonly LimitRangeItem[],
): void {
  const { scope, name } = attributes;
  const byType = Map.groupBy(bounded, ({ type }) => type);
  const errors = new Set<string>();
  let comparisons = 0;
  for (const item of items) {
    const bounds = boundsOf(item);
    const concerned = byType.get(item.type ?? '') ?? [];
    comparisons += countOf(bounds) * concerned.length;
    if (comparisons > maxAmounts) throw tooMuch(attributes, 'compare more amounts');
    for (const amounts of concerned) {
      if (errors.size >= maxFieldErrors) break;
      for (const error of errorsOfAmounts(bounds, amounts)) errors.add(error);
    }
  }
  const texts = [...errors];
  if (texts.length === 0) return;
  throw forbidden(scope.resource.gvr, name, texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
}

function tooMuch({ scope, name }: AdmissionAttributes, what: string): Error {
  const problem = `the LimitRanges of the namespace would ${what} than ${String(maxAmounts)} for its containers: use fewer limits or fewer containers`;
  return forbidden(scope.resource.gvr, name, problem);
}
