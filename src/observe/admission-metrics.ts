/** Metrics of admission, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AdmissionMetrics {
  readonly webhookDuration: HistogramFamily;
  readonly webhookRejections: NumberFamily;
}

/** Registers the metrics. */
export function createAdmissionMetrics(metrics: Metrics): AdmissionMetrics {
  const labels = ['name', 'type', 'operation'];
  return {
    webhookDuration: metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Admission webhook latency in seconds, by webhook, type (admit, validating), operation and whether the request was rejected.',
      labels: [...labels, 'rejected'],
    }),
    webhookRejections: metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Rejections by admission webhooks, by webhook, type, operation, error type and response code.',
      labels: [...labels, 'error_type', 'rejection_code'],
    }),
  };
}
