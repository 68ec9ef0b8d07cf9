/** Metrics of custom resources, with their Kubernetes names. */
import type { HistogramFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ExtensionMetrics {
  readonly conversionDuration: HistogramFamily;
}

/** Registers the metrics. */
export function createExtensionMetrics(metrics: Metrics): ExtensionMetrics {
  return {
    conversionDuration: metrics.histogram({
      name: 'apiserver_crd_conversion_webhook_duration_seconds',
      life: 'ALPHA 1.28',
      otherNames: [
        { name: 'apiserver_crd_webhook_conversion_duration_seconds', life: 'ALPHA 1.21, gone 1.28' },
      ],
      help: 'Conversion webhook latency in seconds, by definition, versions and success.',
      labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    }),
  };
}
