/**
 * LimitRanger: fills in default requests and limits of containers from the namespace's LimitRanges, and checks requests
 * and limits of pods, containers and claims against them.
 */
import type {
  Container,
  LimitRangeItem,
  PersistentVolumeClaim as ClaimFields,
  Pod as PodFields,
  ResourceRequirements,
} from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { maxFieldErrors } from '../meta/field-error.ts';
import { GrownWrite } from '../meta/grown-write.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { boundsOf, problemOf, type Bound, type Bounded } from './limit-range-bounds.ts';
import type { LimitRange, LimitView } from './limit-view.ts';
import { LimitViews } from './limit-views.ts';
import type { ObjectReader } from './object-reader.ts';
import { podAmounts } from '../api/core/pod/amounts.ts';

type Pod = Stored<PodFields>;

/** What containers of a pod may be given, and compared with: its containers times the limits of its namespace. */
const maxAmounts = 200_000;
/** More of them take tens of milliseconds: such writes move to where large ones are carried out. */
const fewAmounts = 5_000;

export function createLimitRanger(reader: ObjectReader, naming: NamingProfile): AdmissionPlugin {
  const views = new LimitViews(reader);
  /** @throws GrownWrite where there is much to do */
  const withView = (attributes: AdmissionAttributes, use: (view: LimitView) => void): MaybePromise<void> => {
    const move = (): void => {
      if (attributes.scope.growth === 'moves') throw new GrownWrite();
    };
    return whenReady(views.of(attributes.scope.namespace, move), (view) => {
      if (view.isEmpty) return;
      if (amountsOf(view, attributes) > fewAmounts) move();
      use(view);
    });
  };
  return {
    name: 'LimitRanger',
    admit(attributes): MaybePromise<void> {
      if (!isPodCreation(attributes)) return;
      return withView(attributes, (view) => {
        fillPod(attributes, view, naming);
      });
    },
    validate(attributes): MaybePromise<void> {
      if (!isBounded(attributes)) return;
      // Most namespaces have no limits: then the requests of a pod need not be summed up.
      return withView(attributes, (view) => {
        assertWithin(attributes, boundedBy(attributes), view);
      });
    },
  };
}

/** What a write is given or compared with at most. */
function amountsOf(view: LimitView, attributes: AdmissionAttributes): number {
  const { requests, limits } = view.defaults;
  const all = requests.size + limits.size + view.boundsOf('Container');
  return all * containersOf(attributes) + view.boundsOf('Pod') + view.boundsOf('PersistentVolumeClaim');
}

/** Containers of a pod; a claim has none. */
function containersOf(attributes: AdmissionAttributes): number {
  if (!isPodCreation(attributes) && !isResize(attributes)) return 0;
  const { containers, initContainers } = (attributes.object as Pod).spec ?? {};
  return (containers?.length ?? 0) + (initContainers?.length ?? 0);
}

/** Only then defaults are set. */
function isPodCreation(attributes: AdmissionAttributes): boolean {
  return attributes.operation === 'CREATE' && isAbout(attributes, 'pods');
}

/** @throws StatusError 403 where the defaults would make the pod too large */
function fillPod(attributes: AdmissionAttributes, view: LimitView, { labelDomain }: NamingProfile): void {
  const pod = attributes.object as Pod;
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers ?? [];
  const { requests, limits } = view.defaults;
  if ((requests.size + limits.size) * (containers.length + initContainers.length) > maxAmounts)
    throw tooMuch(attributes, 'set more default amounts');
  const defaults = { requests: Object.fromEntries(requests), limits: Object.fromEntries(limits) };
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

/** @throws StatusError 403 with what the first LimitRange by name says that the write violates */
function assertWithin(attributes: AdmissionAttributes, bounded: readonly Bounded[], view: LimitView): void {
  const { scope, name } = attributes;
  const comparisons = bounded.reduce((sum, { type }) => sum + view.boundsOf(type), 0);
  if (comparisons > maxAmounts) throw tooMuch(attributes, 'compare more amounts');
  const violated = view.firstViolated(bounded);
  if (!violated) return;
  const texts = problemsOf(violated, bounded);
  throw forbidden(scope.resource.gvr, name, texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
}

/** Each once, and not more than a client reads, of as many comparisons as a write may cost. */
function problemsOf({ spec }: LimitRange, bounded: readonly Bounded[]): string[] {
  const problems = new Set<string>();
  let comparisons = 0;
  for (const { bound, amounts } of comparisonsOf(spec?.limits ?? [], bounded)) {
    const problem = problemOf(bound, amounts);
    if (problem !== undefined) problems.add(problem);
    comparisons += 1;
    if (problems.size >= maxFieldErrors || comparisons >= maxAmounts) break;
  }
  return [...problems];
}

function* comparisonsOf(
  items: readonly LimitRangeItem[],
  bounded: readonly Bounded[],
): Iterable<{ readonly bound: Bound; readonly amounts: Bounded }> {
  const byType = Map.groupBy(bounded, ({ type }) => type);
  for (const item of items) {
    const bounds = boundsOf(item);
    for (const amounts of byType.get(item.type ?? '') ?? [])
      for (const bound of bounds) yield { bound, amounts };
  }
}

function tooMuch({ scope, name }: AdmissionAttributes, what: string): Error {
  const problem = `the LimitRanges of the namespace would ${what} than ${String(maxAmounts)} for its containers: use fewer limits or fewer containers`;
  return forbidden(scope.resource.gvr, name, problem);
}
