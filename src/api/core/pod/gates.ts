/** Fields behind feature gates that are off are dropped, unless the stored pod has them already. */
import type { ApiContext } from '../../types.ts';
import type { Container, PodSpec } from '../v1.types.ts';
import { affinityTerms } from './affinity-terms.ts';

type GatedDrop = readonly [gate: string, isUsed: (spec: PodSpec) => boolean, drop: (spec: PodSpec) => void];

function containersOf(spec: PodSpec): Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

const drops: readonly GatedDrop[] = [
  [
    'EphemeralContainers',
    (spec) => (spec.ephemeralContainers ?? []).length > 0,
    (spec) => {
      delete spec.ephemeralContainers;
    },
  ],
  [
    'ProbeTerminationGracePeriod',
    (spec) =>
      containersOf(spec).some((container) =>
        probes.some((probe) => container[probe]?.terminationGracePeriodSeconds != null),
      ),
    (spec) => {
      for (const container of containersOf(spec)) {
        for (const probe of probes) delete container[probe]?.terminationGracePeriodSeconds;
      }
    },
  ],
  [
    'ProcMountType',
    (spec) => containersOf(spec).some((container) => container.securityContext?.procMount != null),
    (spec) => {
      for (const container of containersOf(spec)) delete container.securityContext?.procMount;
    },
  ],
  [
    'PodAffinityNamespaceSelector',
    (spec) => affinityTerms(spec).some((term) => term.namespaceSelector != null),
    (spec) => {
      for (const term of affinityTerms(spec)) delete term.namespaceSelector;
    },
  ],
];

/** Mutates `next`; `current` is the stored spec of an update. */
export function dropDisabledFields(next: PodSpec, current: PodSpec | undefined, context: ApiContext): void {
  for (const [gate, isUsed, drop] of drops) {
    if (!context.isFeatureEnabled(gate) && !(current && isUsed(current))) drop(next);
  }
}
