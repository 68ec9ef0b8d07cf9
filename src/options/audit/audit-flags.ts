/** The audit flags of `serve`: policy, log backend and webhook backend. */
import type { FlagDefinition } from '../flag-definition.ts';

export const auditFlags = [
  {
    name: 'audit-log-batch-buffer-size',
    value: 'NUMBER',
    default: '10000',
    description:
      'The maximum number of events that are buffered. Further events are dropped and counted. Batch mode only.',
  },
  {
    name: 'audit-log-batch-max-size',
    value: 'NUMBER',
    default: '400',
    description: 'The maximum number of events in a batch. Batch mode only.',
  },
  {
    name: 'audit-log-batch-max-wait',
    value: 'DURATION',
    default: '0s',
    description: 'How long a batch that is not full waits for more events. Batch mode only.',
  },
  {
    name: 'audit-log-batch-throttle-burst',
    value: 'NUMBER',
    default: '15',
    description: 'The number of batches that may be written in a burst, if throttled. Batch mode only.',
  },
  {
    name: 'audit-log-batch-throttle-enable',
    value: '',
    default: 'false',
    description: 'If true, the rate of written batches is throttled. Batch mode only.',
  },
  {
    name: 'audit-log-batch-throttle-qps',
    value: 'NUMBER',
    default: '10',
    description: 'The maximum average number of batches written per second, if throttled. Batch mode only.',
  },
  {
    name: 'audit-log-compress',
    value: '',
    default: 'false',
    description: 'If true, rotated audit log files are compressed with gzip.',
  },
  {
    name: 'audit-log-format',
    value: 'FORMAT',
    default: 'json',
    description: 'Format of the audit log: json (an Event per line) or legacy (a line of text per event).',
  },
  {
    name: 'audit-log-maxage',
    value: 'DAYS',
    default: '0',
    description: 'The maximum number of days to retain rotated audit log files. 0 means no limit.',
  },
  {
    name: 'audit-log-maxbackup',
    value: 'NUMBER',
    default: '0',
    description: 'The maximum number of rotated audit log files to retain. 0 means no limit.',
  },
  {
    name: 'audit-log-maxsize',
    value: 'MEGABYTES',
    default: '0',
    description: 'The maximum size in megabytes of the audit log file before it is rotated. 0 means 100.',
  },
  {
    name: 'audit-log-mode',
    value: 'MODE',
    default: 'batch',
    description:
      'How events are written. batch buffers them and writes asynchronously. blocking makes each request wait until its RequestReceived event is written. blocking-strict also rejects the request if that write fails.',
  },
  {
    name: 'audit-log-path',
    value: 'FILE',
    default: '',
    description:
      'File that audit events are written to. - means standard output. If empty, the log backend is disabled.',
  },
  {
    name: 'audit-log-truncate-enabled',
    value: '',
    default: 'false',
    description:
      'If true, the size of events and batches is limited. A larger event loses its request and response bodies.',
  },
  {
    name: 'audit-log-truncate-max-batch-size',
    value: 'BYTES',
    default: '10485760',
    description: 'The maximum size in bytes of a batch, if truncation is enabled. A larger batch is split.',
  },
  {
    name: 'audit-log-truncate-max-event-size',
    value: 'BYTES',
    default: '102400',
    description:
      'The maximum size in bytes of an event, if truncation is enabled. An event that is larger without its bodies is discarded.',
  },
  {
    name: 'audit-log-version',
    value: 'VERSION',
    default: 'v1',
    description: 'API version of the events in the log: v1, v1beta1 or v1alpha1.',
  },
  {
    name: 'audit-policy-file',
    value: 'FILE',
    default: '',
    description: 'File that defines the audit policy. If empty, nothing is audited.',
  },
  {
    name: 'audit-webhook-batch-buffer-size',
    value: 'NUMBER',
    default: '10000',
    description:
      'The maximum number of events that are buffered. Further events are dropped and counted. Batch mode only.',
  },
  {
    name: 'audit-webhook-batch-max-size',
    value: 'NUMBER',
    default: '400',
    description: 'The maximum number of events in a batch. Batch mode only.',
  },
  {
    name: 'audit-webhook-batch-max-wait',
    value: 'DURATION',
    default: '30s',
    description: 'How long a batch that is not full waits for more events. Batch mode only.',
  },
  {
    name: 'audit-webhook-batch-throttle-burst',
    value: 'NUMBER',
    default: '15',
    description: 'The number of batches that may be sent in a burst, if throttled. Batch mode only.',
  },
  {
    name: 'audit-webhook-batch-throttle-enable',
    value: '',
    default: 'true',
    description: 'If true, the rate of sent batches is throttled. Batch mode only.',
  },
  {
    name: 'audit-webhook-batch-throttle-qps',
    value: 'NUMBER',
    default: '10',
    description: 'The maximum average number of batches sent per second, if throttled. Batch mode only.',
  },
  {
    name: 'audit-webhook-config-file',
    value: 'FILE',
    default: '',
    description:
      'File in kubeconfig format that configures the audit webhook. If empty, the webhook backend is disabled.',
  },
  {
    name: 'audit-webhook-initial-backoff',
    value: 'DURATION',
    default: '10s',
    description: 'The time to wait before the first failed request to the audit webhook is retried.',
  },
  {
    name: 'audit-webhook-mode',
    value: 'MODE',
    default: 'batch',
    description:
      'How events are sent. batch buffers them and sends asynchronously. blocking makes each request wait until its RequestReceived event is sent. blocking-strict also rejects the request if that fails.',
  },
  {
    name: 'audit-webhook-truncate-enabled',
    value: '',
    default: 'false',
    description:
      'If true, the size of events and batches is limited. A larger event loses its request and response bodies.',
  },
  {
    name: 'audit-webhook-truncate-max-batch-size',
    value: 'BYTES',
    default: '10485760',
    description: 'The maximum size in bytes of a batch, if truncation is enabled. A larger batch is split.',
  },
  {
    name: 'audit-webhook-truncate-max-event-size',
    value: 'BYTES',
    default: '102400',
    description:
      'The maximum size in bytes of an event, if truncation is enabled. An event that is larger without its bodies is discarded.',
  },
  {
    name: 'audit-webhook-version',
    value: 'VERSION',
    default: 'v1',
    description: 'API version of the events sent to the webhook: v1, v1beta1 or v1alpha1.',
  },
] as const satisfies readonly FlagDefinition[];
