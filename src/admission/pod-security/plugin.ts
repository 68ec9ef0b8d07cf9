/**
 * PodSecurity, the successor of PodSecurityPolicy: the labels of a namespace say which level of the Pod Security Standards
 * its pods must keep to. Pods are refused; workloads that make such pods, and namespaces that have some, are warned of.
 */
import type { Pod as PodFields, PodSpec } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import { eventLoop } from '../../base/event-loop.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import type {
  PodSecurityEvaluation,
  PodSecurityMetrics,
  PodSecurityRequest,
} from '../../observe/pod-security-metrics.ts';
import { forbidden, invalidObject } from '../../meta/status.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { find, type ObjectReader } from '../object-reader.ts';
import type { CheckedPod } from './checks.ts';
import { describeViolations, violationsOf } from './evaluate.ts';
import {
  isRelaxed,
  latest,
  readModes,
  shownLevel,
  type LevelVersion,
  type PodSecurityModes,
} from './levels.ts';
import { isSignificantChange, podOf } from './pod-parts.ts';

/** `PodSecurityConfiguration`; plain data. */
export interface PodSecurityConfig {
  /** For what the labels of a namespace leave out. */
  readonly defaults: PodSecurityModes;
  readonly exemptions: PodSecurityExemptions;
}

export interface PodSecurityExemptions {
  readonly usernames: readonly string[];
  readonly namespaces: readonly string[];
  readonly runtimeClasses: readonly string[];
}

/** Pods of a namespace as the replica's view has them, one after the other. */
export interface NamespacePods {
  count(namespace: string): number;
  /** A promise for one that is large. */
  each(namespace: string): Iterable<MaybePromise<ApiObject>>;
}

export interface PodSecurityParts {
  readonly config: PodSecurityConfig;
  readonly naming: NamingProfile;
  readonly reader: ObjectReader;
  readonly pods: NamespacePods;
  /** The minor release whose checks are the latest ones. */
  readonly newest: number;
  readonly metrics: PodSecurityMetrics;
}

export function createPodSecurity(parts: PodSecurityParts): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    validate(attributes): MaybePromise<void> {
      const { operation, scope } = attributes;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      const { group, resource } = scope.resource.gvr;
      if (group === '' && resource === 'namespaces') return judgeNamespace(parts, attributes);
      return judgeWorkload(parts, attributes);
    },
  };
}

/** Pods of subresources that say nothing of containers are never here: their objects are no pods. */
async function judgeWorkload(parts: PodSecurityParts, attributes: AdmissionAttributes): Promise<void> {
  const { config, naming, reader, newest, metrics } = parts;
  const { scope } = attributes;
  const found = await podOf(attributes, reader);
  if (!found || (found.before && !isSignificantChange(found.pod, found.before, naming))) return;
  const exempt = exemption(config.exemptions, attributes, found.pod.spec ?? {});
  const note = (key: string, value: string): void => {
    scope.annotate?.(`pod-security.${naming.labelDomain}/${key}`, value);
  };
  if (exempt !== undefined) {
    note('exempt', exempt);
    metrics.exempted(requestOf(attributes, found.isEnforced));
    return;
  }
  const request = requestOf(attributes, found.isEnforced);
  const namespace = await find(reader, 'core/namespaces', scope.namespace, scope.signal);
  const { modes, errors } = readModes(namespace?.metadata.labels, config.defaults, naming);
  if (errors.length > 0) {
    note('error', `Failed to parse policy: ${errors.map((e) => `${e.field}: ${e.message}`).join(', ')}`);
    metrics.failed(false, request);
  }
  const count = (mode: keyof PodSecurityModes, decision: PodSecurityEvaluation['decision']): void => {
    metrics.evaluated({ decision, mode, ...levelLabels(modes[mode], newest) }, request);
  };
  const problems = problemsOf(modes, checkedPod(found.pod, { naming, newest }));
  if (problems.audit !== '') {
    note('audit-violations', `would violate ${problems.audit}`);
    count('audit', 'deny');
  }
  if (found.isEnforced) {
    note('enforce-policy', shownLevel(modes.enforce));
    count('enforce', problems.enforce === '' ? 'allow' : 'deny');
    if (problems.enforce !== '')
      throw forbidden(scope.resource.gvr, attributes.name, `violates ${problems.enforce}`);
  }
  if (problems.warn === '') return;
  scope.warn(`would violate ${problems.warn}`);
  count('warn', 'deny');
}

function requestOf({ operation, scope }: AdmissionAttributes, isPod: boolean): PodSecurityRequest {
  return {
    request_operation: operation.toLowerCase(),
    resource: isPod ? 'pod' : 'controller',
    subresource: scope.subresource,
  };
}

/** Administrators choose versions: those of the future are one, so that metrics have an end. */
function levelLabels(
  of: LevelVersion,
  newest: number,
): Pick<PodSecurityEvaluation, 'policy_level' | 'policy_version'> {
  const isFuture = of.version !== latest && Number(of.version.slice('v1.'.length)) > newest;
  return { policy_level: of.level, policy_version: isFuture ? 'future' : of.version };
}

function checkedPod(
  { metadata, spec = {} }: Pick<Stored<PodFields>, 'metadata' | 'spec'>,
  { naming, newest }: Pick<PodSecurityParts, 'naming' | 'newest'>,
): CheckedPod {
  return { annotations: metadata.annotations ?? {}, spec, naming, newest };
}

/** By mode, '' where the pod keeps to its level. Modes of the same level are evaluated once. */
function problemsOf(modes: PodSecurityModes, pod: CheckedPod): Record<keyof PodSecurityModes, string> {
  const known = new Map<string, string>();
  const problem = (level: LevelVersion): string => {
    const shown = shownLevel(level);
    const violations = known.has(shown) ? [] : violationsOf(level, pod);
    const text = violations.length > 0 ? `PodSecurity "${shown}": ${describeViolations(violations)}` : '';
    if (!known.has(shown)) known.set(shown, text);
    return known.get(shown) ?? '';
  };
  return { enforce: problem(modes.enforce), audit: problem(modes.audit), warn: problem(modes.warn) };
}

/** Why nothing is checked; undefined: it is. */
function exemption(
  { usernames, namespaces, runtimeClasses }: PodSecurityExemptions,
  { scope }: AdmissionAttributes,
  { runtimeClassName }: PodSpec,
): string | undefined {
  if (namespaces.includes(scope.namespace)) return 'namespace';
  if (usernames.includes(scope.user.name)) return 'user';
  return runtimeClassName != null && runtimeClasses.includes(runtimeClassName) ? 'runtimeClass' : undefined;
}

/** @throws StatusError 422 for labels that cannot be read and were not there before */
function judgeNamespace(parts: PodSecurityParts, attributes: AdmissionAttributes): MaybePromise<void> {
  const { config, naming } = parts;
  const { object, oldObject, operation, scope, name } = attributes;
  if (scope.subresource !== '') return;
  const modesOf = (namespace: ApiObject | undefined): ReturnType<typeof readModes> =>
    readModes(namespace?.metadata.labels, config.defaults, naming);
  const next = modesOf(object);
  const before = operation === 'UPDATE' ? modesOf(oldObject) : undefined;
  const known = new Set(before?.errors.map(({ field, message }) => `${field} ${message}`));
  const errors = next.errors.filter(({ field, message }) => !known.has(`${field} ${message}`));
  if (errors.length > 0) throw invalidObject(scope.resource.gvk, name, errors);
  const level = next.modes.enforce;
  if (!before || level.level === 'privileged' || isRelaxed(level, before.modes.enforce)) return;
  if (!config.exemptions.namespaces.includes(name)) return warnOfPods(parts, attributes, level);
}

/** Pods that are looked at, and for how long: the write waits for it. */
const maxPods = 3_000;
const maxMs = 1_000;
/** Writes of many namespaces, or many dry runs of one, look at their pods at once. */
const looking = new SharedSlice();

async function warnOfPods(
  parts: PodSecurityParts,
  { scope, name }: AdmissionAttributes,
  level: LevelVersion,
): Promise<void> {
  const { config, pods } = parts;
  if (looking.shouldYield()) await looking.yieldNow();
  const deadline = eventLoop().now() + maxMs;
  const byReasons = new Map<string, string[]>();
  let checked = 0;
  for (const read of pods.each(name)) {
    if (checked === maxPods || eventLoop().now() > deadline || scope.signal.aborted) break;
    const pod: Stored<PodFields> = await read;
    checked += 1;
    const runtime = pod.spec?.runtimeClassName;
    if (runtime == null || !config.exemptions.runtimeClasses.includes(runtime)) {
      const reasons = violationsOf(level, checkedPod(pod, parts)).map(({ reason }) => reason);
      const key = reasons.join(', ');
      if (key !== '')
        byReasons.set(key, [...(byReasons.get(key) ?? []).slice(-maxPods), pod.metadata.name ?? '']);
    }
    if (looking.shouldYield()) await looking.yieldNow();
  }
  tell(scope.warn, { name, level, byReasons, checked, all: pods.count(name) });
}

interface Findings {
  readonly name: string;
  readonly level: LevelVersion;
  /** Names of pods by what they violate. */
  readonly byReasons: ReadonlyMap<string, readonly string[]>;
  readonly checked: number;
  readonly all: number;
}

function tell(warn: (text: string) => void, { name, level, byReasons, checked, all }: Findings): void {
  const shown = shownLevel(level);
  if (byReasons.size > 0)
    warn(`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${shown}"`);
  for (const [reasons, names] of [...byReasons].sort(([, a], [, b]) =>
    (a[0] ?? '') < (b[0] ?? '') ? -1 : 1,
  )) {
    const others = names.length - 1;
    const more = others === 0 ? '' : ` (and ${String(others)} other ${others === 1 ? 'pod' : 'pods'})`;
    warn(`${names[0] ?? ''}${more}: ${reasons}`);
  }
  if (checked < all) warn(`only the first ${String(checked)} of ${String(all)} pods were checked`);
}
