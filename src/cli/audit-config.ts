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
      batch: batchOptions(flags),
    },
  };
}

function batchOptions(flags: FlagReader): BatchOptions {
  const qps = flags.integer('audit-log-batch-throttle-qps', 1, most);
  const burst = flags.integer('audit-log-batch-throttle-burst', 1, most);
  return {
    bufferSize: flags.integer('audit-log-batch-buffer-size', 1, most),
    maxSize: flags.integer('audit-log-batch-max-size', 1, most),
    maxWaitMs: flags.duration('audit-log-batch-max-wait'),
    throttle: flags.boolean('audit-log-batch-throttle-enable') ? { qps, burst } : undefined,
  };
}
