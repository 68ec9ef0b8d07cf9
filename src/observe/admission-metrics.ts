/** The metrics of admission by their well-known names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AdmissionMetrics {
  readonly webhookDuration: HistogramFamily;
  readonly webhookRejections: NumberFamily;
}

/** Registers them all. */
export function createAdmissionMetrics(metrics: Metrics): AdmissionMetrics {
  const labels = ['name', 'type', 'operation'];
  return {
    webhookDuration: metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Time that admission webhooks took, by webhook, type (admit, validating), operation and whether it ended in a refusal.',
      labels: [...labels, 'rejected'],
    }),
    webhookRejections: metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Refusals by admission webhooks, by webhook, type, operation, kind of error and code of the answer.',
      labels: [...labels, 'error_type', 'rejection_code'],
    }),
  };
}
