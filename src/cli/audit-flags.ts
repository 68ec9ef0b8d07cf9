/** The flags of `serve` that say what is told of requests, and where. */
import type { FlagDefinition } from './flag-definition.ts';

export const auditFlags = [
  {
    name: 'audit-log-batch-buffer-size',
    value: 'NUMBER',
    default: '10000',
    description: 'mode batch: most audit events that wait for the log; more are dropped and counted',
  },
  {
    name: 'audit-log-batch-max-size',
    value: 'NUMBER',
    default: '400',
    description: 'mode batch: most audit events that are written at once',
  },
  {
    name: 'audit-log-batch-max-wait',
    value: 'DURATION',
    default: '0s',
    description: 'mode batch: how long to wait for more audit events before some are written',
  },
  {
    name: 'audit-log-batch-throttle-burst',
    value: 'NUMBER',
    default: '15',
    description: 'mode batch, throttled: writes at once after a rest',
  },
  {
    name: 'audit-log-batch-throttle-enable',
    value: '',
    default: 'false',
    description: 'mode batch: bound the number of writes in a second',
  },
  {
    name: 'audit-log-batch-throttle-qps',
    value: 'NUMBER',
    default: '10',
    description: 'mode batch, throttled: writes in a second',
  },
  {
    name: 'audit-log-format',
    value: 'FORMAT',
    default: 'json',
    description: 'form of the log of audit events: json, a line each',
  },
  {
    name: 'audit-log-maxage',
    value: 'DAYS',
    default: '0',
    description: 'older files of the log are removed when another is begun; 0: none',
  },
  {
    name: 'audit-log-maxbackup',
    value: 'NUMBER',
    default: '0',
    description: 'how many older files of the log are kept; 0: all',
  },
  {
    name: 'audit-log-maxsize',
    value: 'MEGABYTES',
    default: '0',
    description: 'when the log is begun anew; 0: 100',
  },
  {
    name: 'audit-log-mode',
    value: 'MODE',
    default: 'batch',
    description: 'batch: no request waits for the log; blocking: all do; blocking-strict: or are refused',
  },
  {
    name: 'audit-log-path',
    value: 'FILE',
    default: '',
    description: 'where audit events are logged; -: standard output; none: they are not',
  },
  {
    name: 'audit-policy-file',
    value: 'FILE',
    default: '',
    description: 'what is told of which requests, as a Policy; none: nothing is',
  },
  {
    name: 'audit-webhook-batch-buffer-size',
    value: 'NUMBER',
    default: '10000',
    description: 'mode batch: most audit events that wait for the webhook; more are dropped and counted',
  },
  {
    name: 'audit-webhook-batch-max-size',
    value: 'NUMBER',
    default: '400',
    description: 'mode batch: most audit events that are sent at once',
  },
  {
    name: 'audit-webhook-batch-max-wait',
    value: 'DURATION',
    default: '30s',
    description: 'mode batch: how long to wait for more audit events before some are sent',
  },
  {
    name: 'audit-webhook-batch-throttle-burst',
    value: 'NUMBER',
    default: '15',
    description: 'mode batch, throttled: calls at once after a rest',
  },
  {
    name: 'audit-webhook-batch-throttle-enable',
    value: '',
    default: 'true',
    description: 'mode batch: bound the number of calls in a second',
  },
  {
    name: 'audit-webhook-batch-throttle-qps',
    value: 'NUMBER',
    default: '10',
    description: 'mode batch, throttled: calls in a second',
  },
  {
    name: 'audit-webhook-config-file',
    value: 'FILE',
    default: '',
    description: 'where the audit webhook is and who to be there (kubeconfig); none: there is none',
  },
  {
    name: 'audit-webhook-initial-backoff',
    value: 'DURATION',
    default: '10s',
    description: 'pause before a call of the audit webhook that failed is tried again',
  },
  {
    name: 'audit-webhook-mode',
    value: 'MODE',
    default: 'batch',
    description: 'batch: no request waits for the webhook; blocking: all do; blocking-strict: or are refused',
  },
] as const satisfies readonly FlagDefinition[];
