/** Metrics of expressions, with their Kubernetes names. */
import type { HistogramSeries } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface ExpressionMetrics {
  readonly compilation: HistogramSeries;
  readonly evaluation: HistogramSeries;
}

/** In seconds, as in kube-apiserver. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics. */
export function createExpressionMetrics(metrics: Metrics): ExpressionMetrics {
  const compilation = metrics.histogram({
    name: 'apiserver_cel_compilation_duration_seconds',
    life: 'ALPHA 1.21, BETA 1.31',
    help: 'CEL compilation time in seconds, of one expression.',
    bounds,
  });
  const evaluation = metrics.histogram({
    name: 'apiserver_cel_evaluation_duration_seconds',
    life: 'ALPHA 1.21, BETA 1.31',
    help: 'CEL evaluation time in seconds, of one expression.',
    bounds,
  });
  return { compilation: compilation.series({}), evaluation: evaluation.series({}) };
}
