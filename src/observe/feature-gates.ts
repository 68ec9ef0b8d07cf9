/** Feature gates and their lifecycle (Kubernetes documentation, "Feature Gates", stages). */
import { gateHistory } from './gate-history.ts';
import { inertFeatureGates } from './inert-feature-gates.ts';

/** `alpha`: disabled by default. `beta`: enabled by default. `ga` and `removedFeature`: the gate has no effect. */
export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'removedFeature';

export interface Feature {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly purpose: string;
  /** Whether it is on unless set. Absent: as its stage says. */
  readonly default?: boolean;
  /** The emulated release does not know the name: it cannot be set. */
  readonly isUnknown?: true;
}

/** All gates of this release, in alphabetical order, until the end of their deprecation window. */
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
    name: 'DaemonSetUpdateSurge',
    stage: 'alpha',
    purpose: 'DaemonSets can surge during a rolling update.',
  },
  {
    name: 'DetectCacheInconsistency',
    stage: 'beta',
    purpose: 'Compares the watch cache with etcd every few minutes and repairs it.',
  },
  { name: 'DryRun', stage: 'ga', purpose: 'Enables dry run of writes.' },
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
  {
    name: 'ProbeTerminationGracePeriod',
    stage: 'alpha',
    purpose: 'Probes can have a termination grace period.',
  },
  { name: 'ProcMountType', stage: 'alpha', purpose: 'Containers can set the mount type of /proc.' },
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
  { name: 'SuspendJob', stage: 'alpha', purpose: 'Jobs can be suspended.' },
  { name: 'TTLAfterFinished', stage: 'beta', purpose: 'Finished Jobs can have a time to live.' },
  { name: 'TopologyAwareHints', stage: 'alpha', purpose: 'Endpoints can have topology hints.' },
  { name: 'WatchBookmark', stage: 'ga', purpose: 'Watches can request BOOKMARK events.' },
];

/** What `--help` says of each gate: stage, default, and whether setting it still does anything. */
export function describeGates(features: readonly Feature[] = knownFeatures): string[] {
  return features.map((feature) => {
    const on = String(isOn(feature, {}));
    if (!isFixed(feature))
      return `${feature.name}=true|false (${feature.stage.toUpperCase()} - default=${on}) ${feature.purpose}`;
    const stage = feature.stage === 'ga' ? 'GA' : 'REMOVED';
    const fate = `locked to ${on}, deprecated and non-operational: it will be removed`;
    return `${feature.name}=${on} (${stage} - default=${on}, ${fate}) ${feature.purpose}`;
  });
}

export interface FeatureGates {
  /** @throws Error for an unknown gate, which is a bug */
  isEnabled(name: string): boolean;
  /** Warnings about gates in the settings that are deprecated or change nothing here. */
  readonly warnings: readonly string[];
  /** All gates and whether they are enabled, for the start log. */
  all(): ReadonlyMap<string, boolean>;
}

/**
 * Applies settings to the known gates; `AllAlpha` and `AllBeta` set all gates of a stage that are not set
 * individually.
 * @throws Error that lists all unknown gates and all locked gates that are disabled
 */
export function createFeatureGates(
  settings: Readonly<Record<string, boolean>> = {},
  features: readonly Feature[] = knownFeatures,
): FeatureGates {
  assertGates(settings, features);
  const state = new Map(features.map((f) => [f.name, isOn(f, settings)]));
  const deprecated = features.filter((f) => isFixed(f) && f.name in settings).map(deprecationText);
  const warnings = [...deprecated, ...inertTexts(settings, features)];
  return { isEnabled: (name) => lookup(state, name), warnings, all: () => state };
}

/** @throws Error as `createFeatureGates` */
export function assertGates(
  settings: Readonly<Record<string, boolean>>,
  features: readonly Feature[] = knownFeatures,
): void {
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
  if (!feature || feature.isUnknown) {
    if (inertFeatureGates.has(name)) return [];
    const known = [...byName.values()].filter(({ isUnknown }) => !isUnknown);
    return [`unknown feature gate ${name}; known are ${known.map((one) => one.name).join(', ')}`];
  }
  if (feature.stage === 'ga' && !on) return [`feature gate ${name} is locked to true and cannot be disabled`];
  if (feature.stage === 'removedFeature' && on) return [`feature gate ${name} belongs to a removed feature`];
  return [];
}

function isOn(feature: Feature, settings: Readonly<Record<string, boolean>>): boolean {
  const byStage = Object.entries(stageSwitches).find(([, stage]) => stage === feature.stage)?.[0] ?? '';
  const fallback = feature.default ?? (feature.stage === 'beta' || feature.stage === 'ga');
  if (feature.isUnknown) return fallback;
  return settings[feature.name] ?? settings[byStage] ?? fallback;
}

function isFixed(feature: Feature): boolean {
  return feature.stage === 'ga' || feature.stage === 'removedFeature';
}

function deprecationText(feature: Feature): string {
  return `feature gate ${feature.name} is deprecated and non-operational; it will be removed, stop naming it`;
}

function inertTexts(settings: Readonly<Record<string, boolean>>, features: readonly Feature[]): string[] {
  const known = new Set(features.filter(({ isUnknown }) => !isUnknown).map(({ name }) => name));
  return Object.keys(settings)
    .filter((name) => inertFeatureGates.has(name) && !known.has(name))
    .map((name) => `feature gate ${name} changes nothing in this server`);
}

function lookup(state: ReadonlyMap<string, boolean>, name: string): boolean {
  const on = state.get(name);
  // A gate of a later release is off.
  if (on === undefined && !Object.hasOwn(gateHistory, name))
    throw new Error(`feature gate ${name} does not exist`);
  return on ?? false;
}
