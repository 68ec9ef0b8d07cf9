/** Feature gates and their lifecycle (Kubernetes documentation, "Feature Gates", stages). */
import { gateHistory } from './gate-history.ts';
import { inertGateHistory } from './inert-gate-history.ts';

/** `alpha` and `deprecated`: off unless set. `beta` and `ga`: on unless set. */
export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'deprecated';

export interface Feature {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly purpose: string;
  /** Whether it is on unless set. Absent: as its stage says. */
  readonly default?: boolean;
  /** It cannot be set to anything but its default. */
  readonly isLocked?: true;
  /** Neither value changes anything in this server. */
  readonly isInert?: true;
  /** The emulated release does not know the name: it cannot be set. */
  readonly isUnknown?: true;
}

/** The gates of release 1.21 that this server acts on, in alphabetical order. */
export const knownFeatures: readonly Feature[] = [
  { name: 'APIListChunking', stage: 'beta', purpose: 'Lists can be read in chunks (limit, continue).' },
  {
    name: 'APIPriorityAndFairness',
    stage: 'beta',
    purpose: 'Queues and dispatches requests by flow schema and priority level.',
  },
  {
    name: 'APIResponseCompression',
    stage: 'beta',
    purpose: 'Compresses large responses with gzip.',
  },
  { name: 'APIServerIdentity', stage: 'alpha', purpose: 'Keeps a Lease for each server that runs.' },
  { name: 'CSIInlineVolume', stage: 'beta', purpose: 'Enables CSI inline volumes in pods.' },
  { name: 'CSIMigration', stage: 'beta', purpose: 'Migrates in-tree volume plugins to CSI drivers.' },
  {
    name: 'CSIServiceAccountToken',
    stage: 'beta',
    purpose: 'CSI drivers can receive service account tokens of pods.',
  },
  { name: 'CSIStorageCapacity', stage: 'beta', purpose: 'CSI drivers can publish storage capacity.' },
  {
    name: 'CSIVolumeFSGroupPolicy',
    stage: 'beta',
    purpose: 'CSI drivers can declare support for fsGroup of volumes.',
  },
  {
    name: 'ConfigurableFSGroupPolicy',
    stage: 'beta',
    purpose: 'Pods can say when the group of volumes is changed.',
  },
  {
    name: 'DaemonSetUpdateSurge',
    stage: 'alpha',
    purpose: 'DaemonSets can surge during a rolling update.',
  },
  {
    name: 'DetectCacheInconsistency',
    stage: 'beta',
    purpose: 'Compares the watch cache with etcd every few minutes and repairs it.',
  },
  { name: 'DryRun', stage: 'ga', purpose: 'Writes can be tried without being stored.' },
  {
    name: 'EndpointSliceTerminatingCondition',
    stage: 'alpha',
    purpose: 'Enables the conditions serving and terminating of endpoints.',
  },
  {
    name: 'EphemeralContainers',
    stage: 'alpha',
    purpose: 'Ephemeral containers can be added to running pods.',
  },
  {
    name: 'GenericEphemeralVolume',
    stage: 'beta',
    purpose: 'Pods can have volumes with claims of their own.',
  },
  {
    name: 'HPAContainerMetrics',
    stage: 'alpha',
    purpose: 'HorizontalPodAutoscalers can use metrics of a single container.',
  },
  { name: 'HPAScaleToZero', stage: 'alpha', purpose: 'HorizontalPodAutoscalers can have minReplicas 0.' },
  {
    name: 'IPv6DualStack',
    stage: 'beta',
    purpose: 'Enables IPv4/IPv6 dual stack for Services and pods.',
  },
  { name: 'IndexedJob', stage: 'alpha', purpose: 'Enables Indexed Jobs.' },
  {
    name: 'IngressClassNamespacedParams',
    stage: 'alpha',
    purpose: 'Parameters of IngressClasses can be namespaced.',
  },
  {
    name: 'NamespaceDefaultLabelName',
    stage: 'beta',
    purpose: 'Every namespace has a label with its name.',
  },
  { name: 'NetworkPolicyEndPort', stage: 'alpha', purpose: 'NetworkPolicies can have port ranges.' },
  { name: 'NonPreemptingPriority', stage: 'beta', purpose: 'PriorityClasses can disable preemption.' },
  {
    name: 'PodAffinityNamespaceSelector',
    stage: 'alpha',
    purpose: 'Pod affinity terms can have a namespace selector.',
  },
  { name: 'PodOverhead', stage: 'beta', purpose: 'Pods can have the overhead of their runtime class.' },
  {
    name: 'ProbeTerminationGracePeriod',
    stage: 'alpha',
    purpose: 'Probes can have a termination grace period.',
  },
  { name: 'ProcMountType', stage: 'alpha', purpose: 'Containers can set the mount type of /proc.' },
  { name: 'RemainingItemCount', stage: 'beta', purpose: 'Chunks of lists tell how many objects follow.' },
  { name: 'RemoveSelfLink', stage: 'beta', purpose: 'Objects and lists have no links to themselves.' },
  { name: 'ServerSideApply', stage: 'beta', purpose: 'Server-side apply and field ownership.' },
  {
    name: 'ServiceInternalTrafficPolicy',
    stage: 'alpha',
    purpose: 'Services can have an internal traffic policy.',
  },
  {
    name: 'ServiceLBNodePortControl',
    stage: 'alpha',
    purpose: 'Load balancer Services can disable node ports.',
  },
  {
    name: 'ServiceLoadBalancerClass',
    stage: 'alpha',
    purpose: 'Load balancer Services can have a load balancer class.',
  },
  { name: 'ServiceTopology', stage: 'alpha', purpose: 'Services can route by topology keys.' },
  { name: 'SetHostnameAsFQDN', stage: 'beta', purpose: 'Pods can have their full name as host name.' },
  { name: 'StorageVersionHash', stage: 'beta', purpose: 'Discovery tells when the storage version changes.' },
  { name: 'SuspendJob', stage: 'alpha', purpose: 'Jobs can be suspended.' },
  { name: 'TTLAfterFinished', stage: 'beta', purpose: 'Finished Jobs can have a time to live.' },
  { name: 'TopologyAwareHints', stage: 'alpha', purpose: 'Endpoints can have topology hints.' },
];

/** What `--help` says of each gate: stage, default, and whether setting it still does anything. */
export function describeGates(features: readonly Feature[] = knownFeatures): string[] {
  return features.map((feature) => {
    const { name, stage, purpose } = feature;
    const on = String(isOn(feature, {}));
    const default_ = `${stage.toUpperCase()} - default=${on}`;
    if (feature.isLocked !== true) return `${name}=true|false (${default_}) ${purpose}`;
    const fate = `locked to ${on}, deprecated and non-operational: it will be removed`;
    return `${name}=${on} (${default_}, ${fate}) ${purpose}`;
  });
}

export interface FeatureGates {
  /** @throws Error for an unknown gate, which is a bug */
  isEnabled(name: string): boolean;
  /** Warnings about gates in the settings that are deprecated or change nothing here. */
  readonly warnings: readonly string[];
  /** All gates of the release and whether they are enabled. */
  all(): ReadonlyMap<string, boolean>;
}

interface MadeGates {
  readonly settings: string;
  readonly gates: FeatureGates;
}

/** The gates that were made last of a list of features: a start asks for the same ones several times, and so does the next one. */
const lastMade = new WeakMap<readonly Feature[], MadeGates>();

/**
 * Applies settings to the known gates; `AllAlpha` and `AllBeta` set all gates of a stage that are not set
 * individually.
 * @throws Error that lists all unknown gates and all locked gates that are set to another value
 */
export function createFeatureGates(
  settings: Readonly<Record<string, boolean>> = {},
  features: readonly Feature[] = knownFeatures,
): FeatureGates {
  const text = JSON.stringify(settings);
  const last = lastMade.get(features);
  if (last?.settings === text) return last.gates;
  const gates = makeGates(settings, features);
  lastMade.set(features, { settings: text, gates });
  return gates;
}

function makeGates(settings: Readonly<Record<string, boolean>>, features: readonly Feature[]): FeatureGates {
  assertGates(settings, features);
  const state = new Map(features.map((f) => [f.name, isOn(f, settings)]));
  const known = features.filter(({ isUnknown }) => isUnknown !== true);
  const warnings = known.filter(({ name }) => Object.hasOwn(settings, name)).flatMap(warningsOf);
  const all = new Map(known.map(({ name }) => [name, state.get(name) ?? false]));
  return { isEnabled: (name) => lookup(state, name), warnings, all: () => all };
}

/** @throws Error as `createFeatureGates` */
export function assertGates(
  settings: Readonly<Record<string, boolean>>,
  features: readonly Feature[] = knownFeatures,
): void {
  if (Object.keys(settings).length === 0) return;
  const byName = new Map(features.map((f) => [f.name, f]));
  const errors = Object.entries(settings).flatMap(([name, on]) => gateErrors(name, on, byName));
  if (errors.length > 0) throw new Error(errors.join('; '));
}

/**
 * Parses `A=true,B=false`.
 * @throws Error that lists all malformed pairs
 */
export function parseFeatureGates(text: string): Record<string, boolean> {
  const settings: Record<string, boolean> = {};
  const errors: string[] = [];
  for (const pair of text.split(',').filter((p) => p.trim() !== '')) {
    const match = /^\s*([A-Za-z0-9]+)\s*=\s*(true|false)\s*$/i.exec(pair);
    if (match?.[1] === undefined) errors.push(`${JSON.stringify(pair)} is not <gate>=true or <gate>=false`);
    else settings[match[1]] = match[2]?.toLowerCase() === 'true';
  }
  if (errors.length > 0) throw new Error(errors.join('; '));
  return settings;
}

const stageSwitches: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'alpha', AllBeta: 'beta' };

function gateErrors(name: string, on: boolean, byName: ReadonlyMap<string, Feature>): string[] {
  const feature = byName.get(name);
  if (Object.hasOwn(stageSwitches, name)) return [];
  if (!feature || feature.isUnknown) return [`unknown feature gate ${name}`];
  const fallback = isOn(feature, {});
  if (feature.isLocked && on !== fallback)
    return [`feature gate ${name} is locked to ${String(fallback)} and cannot be set to ${String(on)}`];
  return [];
}

function isOn(feature: Feature, settings: Readonly<Record<string, boolean>>): boolean {
  const byStage = Object.entries(stageSwitches).find(([, stage]) => stage === feature.stage)?.[0] ?? '';
  const fallback = feature.default ?? (feature.stage === 'beta' || feature.stage === 'ga');
  if (feature.isUnknown || feature.isLocked) return fallback;
  return settings[feature.name] ?? settings[byStage] ?? fallback;
}

function warningsOf({ name, stage, isInert, isLocked }: Feature): string[] {
  if (isInert) return [`feature gate ${name} changes nothing in this server`];
  if (isLocked)
    return [`feature gate ${name} is deprecated and non-operational; it will be removed, stop naming it`];
  const isEnding = stage === 'ga' || stage === 'deprecated';
  return isEnding ? [`feature gate ${name} will be removed in a later release`] : [];
}

function lookup(state: ReadonlyMap<string, boolean>, name: string): boolean {
  const on = state.get(name);
  // A gate of a later release is off.
  if (on === undefined && !Object.hasOwn(gateHistory, name) && !Object.hasOwn(inertGateHistory, name))
    throw new Error(`feature gate ${name} does not exist`);
  return on ?? false;
}
