/** Feature gates and their life cycle (Kubernetes documentation, "Feature Gates", stages). */

/** `alpha`: off by default. `beta`: on by default. `ga` and `removedFeature`: the gate no longer switches anything. */
export type FeatureStage = 'alpha' | 'beta' | 'ga' | 'removedFeature';

export interface Feature {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly purpose: string;
}

/** Every gate of this release in alphabetical order. A gate whose deprecation window is over is no longer here. */
export const knownFeatures: readonly Feature[] = [
  { name: 'APIListChunking', stage: 'beta', purpose: 'Lists may be read in chunks (limit, continue).' },
  {
    name: 'APIPriorityAndFairness',
    stage: 'beta',
    purpose: 'Flow schemas and priority levels say who is served when there is too much to do.',
  },
  {
    name: 'APIResponseCompression',
    stage: 'beta',
    purpose: 'Large answers are compressed for those who ask.',
  },
  { name: 'CSIInlineVolume', stage: 'beta', purpose: 'Pods may carry volumes of CSI drivers inline.' },
  { name: 'CSIMigration', stage: 'beta', purpose: 'Built-in volume plugins hand over to CSI drivers.' },
  {
    name: 'CSIServiceAccountToken',
    stage: 'beta',
    purpose: 'CSI drivers may ask for tokens of service accounts.',
  },
  { name: 'CSIStorageCapacity', stage: 'beta', purpose: 'CSI drivers may publish storage capacity.' },
  {
    name: 'CSIVolumeFSGroupPolicy',
    stage: 'beta',
    purpose: 'CSI drivers may say how file ownership of a volume is set.',
  },
  {
    name: 'DaemonSetUpdateSurge',
    stage: 'alpha',
    purpose: 'Updates of daemon sets may start a new pod before the old one ends.',
  },
  { name: 'DryRun', stage: 'ga', purpose: 'Writes may be tried without being stored.' },
  {
    name: 'EndpointSliceTerminatingCondition',
    stage: 'alpha',
    purpose: 'Endpoints may say that they are serving while they terminate.',
  },
  {
    name: 'EphemeralContainers',
    stage: 'alpha',
    purpose: 'Pods may get containers for debugging while they run.',
  },
  {
    name: 'HPAContainerMetrics',
    stage: 'alpha',
    purpose: 'Autoscalers may follow the resources of one container.',
  },
  { name: 'HPAScaleToZero', stage: 'alpha', purpose: 'HorizontalPodAutoscaler may have minReplicas 0.' },
  {
    name: 'IPv6DualStack',
    stage: 'beta',
    purpose: 'Services and pods may have addresses of both families.',
  },
  { name: 'IndexedJob', stage: 'alpha', purpose: 'Jobs may number their completions.' },
  {
    name: 'IngressClassNamespacedParams',
    stage: 'alpha',
    purpose: 'Parameters of ingress classes may live in a namespace.',
  },
  {
    name: 'NamespaceDefaultLabelName',
    stage: 'beta',
    purpose: 'Every namespace carries its name as a label.',
  },
  { name: 'NetworkPolicyEndPort', stage: 'alpha', purpose: 'Network policies may name ranges of ports.' },
  { name: 'NonPreemptingPriority', stage: 'beta', purpose: 'Priority classes may go without preemption.' },
  {
    name: 'PodAffinityNamespaceSelector',
    stage: 'alpha',
    purpose: 'Affinity terms of pods may select namespaces by label.',
  },
  {
    name: 'ProbeTerminationGracePeriod',
    stage: 'alpha',
    purpose: 'Probes may have a termination grace period of their own.',
  },
  { name: 'ProcMountType', stage: 'alpha', purpose: 'Containers may choose how /proc is mounted.' },
  { name: 'ServerSideApply', stage: 'beta', purpose: 'Apply patches and ownership of fields.' },
  {
    name: 'ServiceInternalTrafficPolicy',
    stage: 'alpha',
    purpose: 'Services may keep internal traffic on the node.',
  },
  {
    name: 'ServiceLBNodePortControl',
    stage: 'alpha',
    purpose: 'Load balancer services may go without node ports.',
  },
  {
    name: 'ServiceLoadBalancerClass',
    stage: 'alpha',
    purpose: 'Load balancer services may choose their implementation.',
  },
  { name: 'ServiceTopology', stage: 'alpha', purpose: 'Services may prefer endpoints by topology keys.' },
  { name: 'SuspendJob', stage: 'alpha', purpose: 'Jobs may be suspended.' },
  { name: 'TTLAfterFinished', stage: 'beta', purpose: 'Finished jobs may be removed after a while.' },
  { name: 'TopologyAwareHints', stage: 'alpha', purpose: 'Endpoints may be kept for zones.' },
  { name: 'WatchBookmark', stage: 'ga', purpose: 'Watches may ask for BOOKMARK events.' },
];

export interface FeatureGates {
  /** @throws Error for a gate that does not exist: an error in the program */
  isEnabled(name: string): boolean;
  /** Warnings about the settings: a deprecated gate was named. */
  readonly warnings: readonly string[];
  /** Every gate and whether it is on, for the start-up line. */
  all(): ReadonlyMap<string, boolean>;
}

/**
 * Applies settings to the known gates; `AllAlpha` and `AllBeta` set all gates of a stage that are not set one by one.
 * @throws Error that lists every unknown gate and every attempt to switch off one that no longer switches
 */
export function createFeatureGates(
  settings: Readonly<Record<string, boolean>> = {},
  features: readonly Feature[] = knownFeatures,
): FeatureGates {
  assertGates(settings, features);
  const state = new Map(features.map((f) => [f.name, isOn(f, settings)]));
  const warnings = features.filter((f) => isFixed(f) && f.name in settings).map(deprecationText);
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
 * Reads `A=true,B=false`.
 * @throws Error that lists every malformed pair
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
  if (Object.hasOwn(stageSwitches, name)) return [];
  const feature = byName.get(name);
  if (!feature) return [`unknown feature gate ${name}; known are ${[...byName.keys()].join(', ')}`];
  if (feature.stage === 'ga' && !on) return [`feature gate ${name} is always on and cannot be switched off`];
  if (feature.stage === 'removedFeature' && on) return [`feature gate ${name} belongs to a removed feature`];
  return [];
}

function isOn(feature: Feature, settings: Readonly<Record<string, boolean>>): boolean {
  const byStage = Object.entries(stageSwitches).find(([, stage]) => stage === feature.stage)?.[0] ?? '';
  const fallback = feature.stage === 'beta' || feature.stage === 'ga';
  return settings[feature.name] ?? settings[byStage] ?? fallback;
}

function isFixed(feature: Feature): boolean {
  return feature.stage === 'ga' || feature.stage === 'removedFeature';
}

function deprecationText(feature: Feature): string {
  return `feature gate ${feature.name} is deprecated and non-operational; it will be removed, stop naming it`;
}

function lookup(state: ReadonlyMap<string, boolean>, name: string): boolean {
  const on = state.get(name);
  if (on === undefined) throw new Error(`feature gate ${name} does not exist`);
  return on;
}
