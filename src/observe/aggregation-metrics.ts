/** Metrics of aggregated APIs, with their Kubernetes names. */
import type { NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AggregationMetrics {
  /** By APIService. */
  readonly unavailable: NumberFamily;
  /** By APIService and reason. */
  readonly becameUnavailable: NumberFamily;
  /** By APIService and reason: `add`, `update`, `delete`. */
  readonly regenerations: NumberFamily;
  /** Seconds, by reason. */
  readonly regenerationDuration: NumberFamily;
}

/** Registers the metrics. Each process checks all APIServices, so that the gauges of several are not added up. */
export function createAggregationMetrics(metrics: Metrics): AggregationMetrics {
  return {
    unavailable: metrics.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: '1 for an APIService that is not available, otherwise 0, by name.',
      labels: ['name'],
      aggregator: 'max',
    }),
    becameUnavailable: metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'APIServices that became unavailable, by name and reason.',
      labels: ['name', 'reason'],
    }),
    regenerations: metrics.counter({
      name: 'aggregator_openapi_v2_regeneration_count',
      help: 'Merges of OpenAPI v2 documents, by the APIService that caused it and reason.',
      labels: ['apiservice', 'reason'],
    }),
    regenerationDuration: metrics.gauge({
      name: 'aggregator_openapi_v2_regeneration_duration',
      help: 'Duration of the last merge of OpenAPI v2 documents in seconds, by reason.',
      labels: ['reason'],
      aggregator: 'max',
    }),
  };
}
