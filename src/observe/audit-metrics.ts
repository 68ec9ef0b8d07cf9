/** Metrics of auditing, with their Kubernetes names. */
import type { NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AuditMetrics {
  readonly events: NumberFamily;
  readonly errors: NumberFamily;
  readonly levels: NumberFamily;
  readonly rejectedRequests: NumberFamily;
}

/** Registers the metrics. */
export function createAuditMetrics(metrics: Metrics): AuditMetrics {
  return {
    events: metrics.counter({
      name: 'apiserver_audit_event_total',
      help: 'Audit events generated and sent to the audit backends.',
    }),
    errors: metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events dropped by a backend (log, webhook), because its buffer was full or a write failed.',
      labels: ['plugin'],
    }),
    levels: metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Audit policy decisions by level.',
      labels: ['level'],
    }),
    rejectedRequests: metrics.counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests rejected because their audit event could not be written (mode blocking-strict).',
    }),
  };
}
