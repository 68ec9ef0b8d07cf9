/** Puts the audit trail together: the policy, and the sinks that flags name. */
import { Auditor } from '../../audit/auditor.ts';
import { BlockingSink } from '../../audit/blocking-sink.ts';
import { BufferedSink } from '../../audit/buffered-sink.ts';
import { daysInMs, LogFile } from '../../audit/log-file.ts';
import { createAuditPolicy } from '../../audit/policy.ts';
import { parseAuditPolicy } from '../../audit/policy-file.ts';
import type { AuditSink } from '../../audit/types.ts';
import type { LossReport } from '../../audit/writer.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { createAuditMetrics, type AuditMetrics } from '../../observe/audit-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { CompletedConfig } from '../complete.ts';
import type { AuditLogConfig } from './config.ts';

export interface AuditBuildParts {
  readonly naming: NamingProfile;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** undefined: there is no policy, or nowhere to tell it to. */
export function buildAuditor(config: CompletedConfig, parts: AuditBuildParts): Auditor | undefined {
  const metrics = createAuditMetrics(parts.metrics);
  const logger = parts.logger.child({ room: 'audit' });
  const { log } = config.audit;
  const { policy } = config.files.audit;
  if (policy === undefined || log.path === '') return undefined;
  const name = 'log';
  return new Auditor({
    policy: createAuditPolicy(parseAuditPolicy(policy, parts.naming)),
    sinks: [logSink(name, log, lossReport(name, { metrics, logger }))],
    metrics,
    strict: new Set(log.mode === 'blocking-strict' ? [name] : []),
  });
}

const mebibyte = 1024 * 1024;
/** Where the flag says 0. */
const defaultMegabytes = 100;

function logSink(name: string, log: AuditLogConfig, lost: LossReport): AuditSink {
  const writer = new LogFile({
    path: log.path,
    maxBytes: (log.maxMegabytes || defaultMegabytes) * mebibyte,
    maxAgeMs: daysInMs(log.maxAgeDays),
    maxBackups: log.maxBackups,
  });
  return log.mode === 'batch'
    ? new BufferedSink(name, log.batch, { writer, lost })
    : new BlockingSink(name, { writer, lost });
}

const quietMs = 10_000;

/** Every loss is counted; the log tells of the first, and again after a while. */
function lossReport(
  sink: string,
  { metrics, logger }: { readonly metrics: AuditMetrics; readonly logger: Logger },
): LossReport {
  const errors = metrics.errors.cell({ plugin: sink });
  let toldAt = -Infinity;
  return (events, cause) => {
    errors.add(events);
    if (performance.now() - toldAt < quietMs) return;
    toldAt = performance.now();
    logger.error('audit events are lost', { sink, events, err: cause });
  };
}
