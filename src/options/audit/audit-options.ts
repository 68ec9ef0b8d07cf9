/** Audit flags → configuration: the policy and the backends. Files are not read yet; '' if a path is not given. */
import type { BatchOptions } from '../../audit/buffered-backend.ts';
import { auditVersions, type AuditVersion } from '../../audit/event-versions.ts';
import { namingProfiles } from '../../meta/naming.ts';
import { FlagReader, type FlagErrors, type FlagValues } from '../flag-reader.ts';
import { auditFlags } from './audit-flags.ts';

type AuditFlags = FlagReader<(typeof auditFlags)[number]['name']>;

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof auditModes)[number];

export interface AuditConfig {
  readonly policyFile: string;
  readonly log: AuditLogConfig;
  readonly webhook: AuditWebhookConfig;
}

export interface TruncationConfig {
  readonly maxEventBytes: number;
}

export const auditFormats = ['json', 'legacy'] as const;

interface AuditSinkConfig {
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
  readonly version: AuditVersion;
  /** undefined if the size is not limited. */
  readonly truncation: TruncationConfig | undefined;
}

export interface AuditWebhookConfig extends AuditSinkConfig {
  /** In kubeconfig format; '' if the backend is disabled. */
  readonly configFile: string;
  readonly initialBackoffMs: number;
}

export interface AuditLogConfig extends AuditSinkConfig {
  /** `-`: standard output. */
  readonly path: string;
  readonly maxMegabytes: number;
  readonly maxAgeDays: number;
  readonly maxBackups: number;
  readonly compresses: boolean;
  readonly format: (typeof auditFormats)[number];
}

const most = 1_000_000;
const mostBytes = 1024 * 1024 * 1024;

export function readAudit(texts: FlagValues, errors: FlagErrors): AuditConfig {
  const flags = new FlagReader(auditFlags, texts, errors);
  return {
    policyFile: flags.text('audit-policy-file'),
    log: {
      path: flags.text('audit-log-path'),
      maxMegabytes: flags.integer('audit-log-maxsize', 0, most),
      maxAgeDays: flags.integer('audit-log-maxage', 0, most),
      maxBackups: flags.integer('audit-log-maxbackup', 0, most),
      compresses: flags.boolean('audit-log-compress'),
      format: flags.choice('audit-log-format', auditFormats),
      ...sinkConfig(flags, 'audit-log'),
    },
    webhook: {
      configFile: flags.text('audit-webhook-config-file'),
      initialBackoffMs: flags.duration('audit-webhook-initial-backoff'),
      ...sinkConfig(flags, 'audit-webhook'),
    },
  };
}

type SinkName = 'audit-log' | 'audit-webhook';

function sinkConfig(
  flags: AuditFlags,
  sink: SinkName,
): Pick<AuditLogConfig, 'mode' | 'batch' | 'version' | 'truncation'> {
  const isTruncated = flags.boolean(`${sink}-truncate-enabled`);
  const maxEventBytes = flags.integer(`${sink}-truncate-max-event-size`, 1, mostBytes);
  const maxBatchBytes = flags.integer(`${sink}-truncate-max-batch-size`, 1, mostBytes);
  if (isTruncated && maxEventBytes > maxBatchBytes) {
    const cause = `--${sink}-truncate-max-event-size is more than --${sink}-truncate-max-batch-size`;
    flags.add(cause, 'use a maximum batch size that is at least the maximum event size');
  }
  return {
    mode: flags.choice(`${sink}-mode`, auditModes),
    batch: { ...batchOptions(flags, sink), maxBytes: isTruncated ? maxBatchBytes : Infinity },
    version: version(flags, `${sink}-version`),
    truncation: isTruncated ? { maxEventBytes } : undefined,
  };
}

/** The version may be prefixed with the audit group of either naming profile. */
function version(flags: AuditFlags, name: `${SinkName}-version`): AuditVersion {
  const text = flags.text(name);
  const groups = Object.values(namingProfiles).map(({ apiDomain }) => `audit.${apiDomain}`);
  const found = auditVersions.find((v) => text === v || groups.some((group) => text === `${group}/${v}`));
  if (found === undefined) {
    const cause = `flag --${name} has the value ${JSON.stringify(text)}`;
    flags.add(cause, `use one of ${auditVersions.join(', ')}, with or without the API group of events`);
  }
  return found ?? 'v1';
}

function batchOptions(flags: AuditFlags, sink: SinkName): Omit<BatchOptions, 'maxBytes'> {
  const qps = flags.integer(`${sink}-batch-throttle-qps`, 1, most);
  const burst = flags.integer(`${sink}-batch-throttle-burst`, 1, most);
  return {
    bufferSize: flags.integer(`${sink}-batch-buffer-size`, 1, most),
    maxSize: flags.integer(`${sink}-batch-max-size`, 1, most),
    maxWaitMs: flags.duration(`${sink}-batch-max-wait`),
    throttle: flags.boolean(`${sink}-batch-throttle-enable`) ? { qps, burst } : undefined,
  };
}
