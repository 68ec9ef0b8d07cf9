/** Metrics of authorizers, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AuthorizationMetrics {
  readonly decisions: NumberFamily;
  readonly conditionErrors: NumberFamily;
  readonly conditionExclusions: NumberFamily;
  readonly conditionDuration: HistogramFamily;
}

/** Registers the metrics. */
export function createAuthorizationMetrics(metrics: Metrics): AuthorizationMetrics {
  const labels = ['type', 'name'];
  return {
    decisions: metrics.counter({
      name: 'apiserver_authorization_decisions_total',
      help: 'Decisions of authorizers that allow or deny, by type and name of the authorizer and decision (allowed, denied).',
      labels: [...labels, 'decision'],
    }),
    conditionErrors: metrics.counter({
      name: 'apiserver_authorization_match_condition_evaluation_errors_total',
      help: 'Questions for which match conditions of an authorization webhook have no value, by type and name.',
      labels,
    }),
    conditionExclusions: metrics.counter({
      name: 'apiserver_authorization_match_condition_exclusions_total',
      help: 'Questions that an authorization webhook is not asked, because a match condition does not hold, by type and name.',
      labels,
    }),
    conditionDuration: metrics.histogram({
      name: 'apiserver_authorization_match_condition_evaluation_seconds',
      help: 'Time in seconds to evaluate the match conditions of an authorization webhook for one question, by type and name.',
      labels,
      bounds: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
    }),
  };
}
