/** The metrics of custom resources by their well-known names. */
import type { HistogramFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ExtensionMetrics {
  readonly conversionDuration: HistogramFamily;
}

/** Registers them all. */
export function createExtensionMetrics(metrics: Metrics): ExtensionMetrics {
  return {
    conversionDuration: metrics.histogram({
      name: 'apiserver_crd_webhook_conversion_duration_seconds',
      help: 'Time that conversion webhooks took, by definition, versions and whether the objects were converted.',
      labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    }),
  };
}
