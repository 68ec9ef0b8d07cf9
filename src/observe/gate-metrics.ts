/** The metric of feature gates, with its Kubernetes name. */
import type { Feature, FeatureGates } from './feature-gates.ts';
import type { Metrics } from './metrics.ts';

/** Shows each gate of the release, with its stage ('' once it is stable). */
export function showGates(
  metrics: Metrics,
  features: readonly Feature[],
  gates: Pick<FeatureGates, 'all'>,
): void {
  const enabled = metrics.gauge({
    name: 'kubernetes_feature_enabled',
    life: 'ALPHA 1.26, BETA 1.28',
    help: 'Whether a feature gate is on (1), by name and stage.',
    labels: ['name', 'stage'],
    aggregator: 'max',
  });
  // There are hundreds, of which no start needs one.
  enabled.onScrape(() => {
    const known = gates.all();
    for (const { name, stage } of features) {
      const isOn = known.get(name);
      if (isOn === undefined) continue;
      enabled.series({ name, stage: stage === 'ga' ? '' : stage.toUpperCase() }).set(isOn ? 1 : 0);
    }
  });
}
