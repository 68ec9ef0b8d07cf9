/** Audit flags → configuration. */
import type { BatchOptions } from '../audit/buffered-sink.ts';
import { auditModes, type AuditConfig } from '../server/audit/config.ts';
import type { FlagReader } from './flag-reader.ts';

const most = 1_000_000;

export function auditConfig(flags: FlagReader): AuditConfig {
  flags.choice('audit-log-format', ['json']);
  return {
    policyFile: flags.text('audit-policy-file'),
    log: {
      path: flags.text('audit-log-path'),
      maxMegabytes: flags.integer('audit-log-maxsize', 0, most),
      maxAgeDays: flags.integer('audit-log-maxage', 0, most),
      maxBackups: flags.integer('audit-log-maxbackup', 0, most),
      mode: flags.choice('audit-log-mode', auditModes),
      batch: batchOptions(flags, 'audit-log'),
    },
    webhook: {
      configFile: flags.text('audit-webhook-config-file'),
      initialBackoffMs: flags.duration('audit-webhook-initial-backoff'),
      mode: flags.choice('audit-webhook-mode', auditModes),
      batch: batchOptions(flags, 'audit-webhook'),
    },
  };
}

function batchOptions(flags: FlagReader, sink: 'audit-log' | 'audit-webhook'): BatchOptions {
  const qps = flags.integer(`${sink}-batch-throttle-qps`, 1, most);
  const burst = flags.integer(`${sink}-batch-throttle-burst`, 1, most);
  return {
    bufferSize: flags.integer(`${sink}-batch-buffer-size`, 1, most),
    maxSize: flags.integer(`${sink}-batch-max-size`, 1, most),
    maxWaitMs: flags.duration(`${sink}-batch-max-wait`),
    throttle: flags.boolean(`${sink}-batch-throttle-enable`) ? { qps, burst } : undefined,
  };
}
