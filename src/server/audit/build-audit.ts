/** Builds auditing: the policy and the configured backends. */
import { Auditor } from '../../audit/auditor.ts';
import { BlockingBackend, type BackendParts } from '../../audit/blocking-backend.ts';
import { BufferedBackend } from '../../audit/buffered-backend.ts';
import { inVersion } from '../../audit/event-versions.ts';
import { legacyLine } from '../../audit/legacy-line.ts';
import { daysInMs } from '../../audit/log-backups.ts';
import { LogFile } from '../../audit/log-file.ts';
import { createAuditPolicy } from '../../audit/audit-policy.ts';
import { TransformingBackend, type EventTransform } from '../../audit/transforming-backend.ts';
import { truncated } from '../../audit/truncation.ts';
import type { AuditBackend } from '../../audit/types.ts';
import { WebhookWriter } from '../../audit/webhook-writer.ts';
import type { AuditWriter, LossReport } from '../../audit/audit-writer.ts';
import type { Clock, PassiveClock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { createAuditMetrics, type AuditMetrics } from '../../observe/audit-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import { HttpsTransport } from '../../webhook/https-transport.ts';
import type { WebhookAccess } from '../../webhook/webhook-client.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { AuditLogConfig, AuditWebhookConfig } from '../../options/audit/audit-options.ts';

export interface Audit {
  /** undefined if there is no policy or no backend. */
  readonly auditor: Auditor | undefined;
  /** Replaces the address and credentials of the webhook. */
  use(credentials: Pick<Credentials, 'webhooks'>): void;
}

export interface AuditBuildParts {
  readonly environment: Environment;
  readonly credentials: Pick<Credentials, 'webhooks'>;
  readonly naming: NamingProfile;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The caller closes the auditor after the last request. */
export function buildAudit(config: CompletedConfig, parts: AuditBuildParts): Audit {
  const metrics = createAuditMetrics(parts.metrics);
  const logger = parts.logger.child({ component: 'audit' });
  const { environment } = parts;
  const { clock } = environment;
  const { log, webhook } = config.audit;
  const { policy } = config.files.audit;
  const access = parts.credentials.webhooks.audit;
  const nobody: Audit = { auditor: undefined, use: () => undefined };
  if (policy === undefined) return nobody;
  const transport = access && webhookTransport(access, clock);
  const group = `audit.${parts.naming.apiDomain}`;
  const partsOf = (name: string, writer: AuditWriter): SinkParts => {
    return { name, clock, writer, group, lost: lossReport(name, { clock, metrics, logger }) };
  };
  const backends = [
    ...(log.path === '' ? [] : [createSink(log, partsOf('log', logFile(log, clock)))]),
    ...(transport
      ? [createSink(webhook, partsOf('webhook', webhookWriter(environment, transport, webhook, group)))]
      : []),
  ];
  if (backends.length === 0) return nobody;
  const modes = { log: log.mode, webhook: webhook.mode };
  const strict = Object.entries(modes).filter(([, mode]) => mode === 'blocking-strict');
  const auditor = new Auditor({
    policy: createAuditPolicy(policy),
    backends,
    metrics,
    strict: new Set(strict.map(([name]) => name)),
  });
  return {
    auditor,
    use: ({ webhooks }) => {
      if (webhooks.audit) transport?.use({ ...webhooks.audit, server: new URL(webhooks.audit.server) });
    },
  };
}

interface SinkParts extends BackendParts {
  readonly name: string;
  /** API group of events. */
  readonly group: string;
}

function createSink(
  config: AuditWebhookConfig | AuditLogConfig,
  { name, group, ...parts }: SinkParts,
): AuditBackend {
  const { mode, batch } = config;
  const backend =
    mode === 'batch' ? new BufferedBackend(name, batch, parts) : new BlockingBackend(name, parts);
  const transform = transformOf(config, group);
  return transform ? new TransformingBackend(backend, { transform, lost: parts.lost }) : backend;
}

/** undefined if events are written unchanged. */
function transformOf(
  config: AuditWebhookConfig | AuditLogConfig,
  group: string,
): EventTransform['transform'] | undefined {
  const { version, truncation } = config;
  const isLegacy = 'format' in config && config.format === 'legacy';
  if (version === 'v1' && !truncation && !isLegacy) return undefined;
  return (line) => {
    const whole = truncation ? truncated(line, group, truncation.maxEventBytes) : line;
    if (whole === undefined) return undefined;
    return isLegacy ? legacyLine(whole) : inVersion(whole, group, version);
  };
}

/** Maximum bytes of a webhook response, which is not used. */
const longestAnswer = 64 * 1024;

function webhookTransport(access: WebhookAccess, clock: Clock): HttpsTransport {
  const server = new URL(access.server);
  return new HttpsTransport({ ...access, server }, { clock, longestAnswer, repeats: true, isForeign: true });
}

function webhookWriter(
  environment: Environment,
  transport: HttpsTransport,
  { initialBackoffMs, version }: AuditWebhookConfig,
  group: string,
): AuditWriter {
  return new WebhookWriter({
    ...environment,
    post: (text, signal) => {
      const { pathname, search } = transport.server;
      return transport.json({ method: 'POST', path: `${pathname}${search}`, text }, signal);
    },
    close: () => {
      transport.close();
    },
    apiVersion: `${group}/${version}`,
    initialBackoffMs,
  });
}

const mebibyte = 1024 * 1024;
/** Default if the flag is 0. */
const defaultMegabytes = 100;

function logFile(log: AuditLogConfig, clock: Clock): AuditWriter {
  return new LogFile({
    clock,
    path: log.path,
    maxBytes: (log.maxMegabytes || defaultMegabytes) * mebibyte,
    maxAgeMs: daysInMs(log.maxAgeDays),
    maxBackups: log.maxBackups,
    compresses: log.compresses,
  });
}

const quietMs = 10_000;

interface ReportParts {
  readonly clock: PassiveClock;
  readonly metrics: AuditMetrics;
  readonly logger: Logger;
}

/** Counts every loss; logs the first, and further ones at intervals. */
function lossReport(backend: string, { clock, metrics, logger }: ReportParts): LossReport {
  const errors = metrics.errors.series({ plugin: backend });
  let reportedAt = -Infinity;
  return (events, cause) => {
    errors.add(events);
    if (clock.monotonic() - reportedAt < quietMs) return;
    reportedAt = clock.monotonic();
    logger.error('audit events are lost', { backend, events, err: cause });
  };
}
