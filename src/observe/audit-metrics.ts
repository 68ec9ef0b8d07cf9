/** The metrics of auditing by their well-known names. */
import type { NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AuditMetrics {
  readonly events: NumberFamily;
  readonly errors: NumberFamily;
  readonly levels: NumberFamily;
  readonly rejectedRequests: NumberFamily;
}

/** Registers them all. */
export function createAuditMetrics(metrics: Metrics): AuditMetrics {
  return {
    events: metrics.counter({
      name: 'apiserver_audit_event_total',
      help: 'Audit events made and given to the sinks.',
    }),
    errors: metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that a sink (log, webhook) lost: its buffer was full, or it could not write them.',
      labels: ['plugin'],
    }),
    levels: metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Decisions of the audit policy by level.',
      labels: ['level'],
    }),
    rejectedRequests: metrics.counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests refused because their audit event could not be kept (mode blocking-strict).',
    }),
  };
}
