/** Puts the audit trail together: the policy, and the sinks that flags name. */
import { Auditor } from '../../audit/auditor.ts';
import { BlockingSink } from '../../audit/blocking-sink.ts';
import { BufferedSink } from '../../audit/buffered-sink.ts';
import { daysInMs, LogFile } from '../../audit/log-file.ts';
import { createAuditPolicy } from '../../audit/policy.ts';
import { parseAuditPolicy } from '../../audit/policy-file.ts';
import type { AuditSink } from '../../audit/types.ts';
import { WebhookWriter } from '../../audit/webhook-writer.ts';
import type { AuditWriter, LossReport } from '../../audit/writer.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { createAuditMetrics, type AuditMetrics } from '../../observe/audit-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { CompletedConfig } from '../complete.ts';
import { HttpsTransport } from '../controllers/https-transport.ts';
import type { WebhookAccess } from '../webhook-client.ts';
import type { AuditLogConfig, AuditWebhookConfig } from './config.ts';

export interface AuditBuildParts {
  readonly naming: NamingProfile;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** undefined: there is no policy, or nowhere to tell it to. */
export function buildAuditor(config: CompletedConfig, parts: AuditBuildParts): Auditor | undefined {
  const metrics = createAuditMetrics(parts.metrics);
  const logger = parts.logger.child({ room: 'audit' });
  const { log, webhook } = config.audit;
  const { policy, webhook: access } = config.files.audit;
  if (policy === undefined) return undefined;
  const partsOf = (name: string, writer: AuditWriter): SinkParts => {
    return { name, writer, lost: lossReport(name, { metrics, logger }) };
  };
  const sinks = [
    ...(log.path === '' ? [] : [createSink(log, partsOf('log', logFile(log)))]),
    ...(access
      ? [createSink(webhook, partsOf('webhook', webhookWriter(access, webhook, parts.naming)))]
      : []),
  ];
  if (sinks.length === 0) return undefined;
  const modes = { log: log.mode, webhook: webhook.mode };
  const strict = Object.entries(modes).filter(([, mode]) => mode === 'blocking-strict');
  return new Auditor({
    policy: createAuditPolicy(parseAuditPolicy(policy, parts.naming)),
    sinks,
    metrics,
    strict: new Set(strict.map(([name]) => name)),
  });
}

interface SinkParts {
  readonly name: string;
  readonly writer: AuditWriter;
  readonly lost: LossReport;
}

function createSink(
  { mode, batch }: Pick<AuditLogConfig, 'mode' | 'batch'>,
  { name, ...parts }: SinkParts,
): AuditSink {
  return mode === 'batch' ? new BufferedSink(name, batch, parts) : new BlockingSink(name, parts);
}

/** Bytes; nobody reads what a webhook answers. */
const longestAnswer = 64 * 1024;

function webhookWriter(
  access: WebhookAccess,
  { initialBackoffMs }: AuditWebhookConfig,
  naming: NamingProfile,
): AuditWriter {
  const server = new URL(access.server);
  const transport = new HttpsTransport({ ...access, server }, { longestAnswer, repeats: true });
  const path = `${server.pathname}${server.search}`;
  return new WebhookWriter({
    post: (body, signal) => transport.json({ method: 'POST', path, body }, signal),
    close: () => {
      transport.close();
    },
    naming,
    initialBackoffMs,
  });
}

const mebibyte = 1024 * 1024;
/** Where the flag says 0. */
const defaultMegabytes = 100;

function logFile(log: AuditLogConfig): AuditWriter {
  return new LogFile({
    path: log.path,
    maxBytes: (log.maxMegabytes || defaultMegabytes) * mebibyte,
    maxAgeMs: daysInMs(log.maxAgeDays),
    maxBackups: log.maxBackups,
  });
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
