/** Audit flags → configuration. */
import type { BatchOptions } from '../audit/buffered-sink.ts';
import { auditVersions, type AuditVersion } from '../audit/event-versions.ts';
import { namingProfiles } from '../meta/naming.ts';
import { auditFormats, auditModes, type AuditConfig, type AuditLogConfig } from '../server/audit/config.ts';
import type { FlagReader } from './flag-reader.ts';

const most = 1_000_000;
const mostBytes = 1024 * 1024 * 1024;

export function auditConfig(flags: FlagReader): AuditConfig {
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
  flags: FlagReader,
  sink: SinkName,
): Pick<AuditLogConfig, 'mode' | 'batch' | 'version' | 'truncation'> {
  const isTruncated = flags.boolean(`${sink}-truncate-enabled`);
  const maxEventBytes = flags.integer(`${sink}-truncate-max-event-size`, 1, mostBytes);
  const maxBatchBytes = flags.integer(`${sink}-truncate-max-batch-size`, 1, mostBytes);
  if (isTruncated && maxEventBytes > maxBatchBytes) {
    const cause = `--${sink}-truncate-max-event-size is more than --${sink}-truncate-max-batch-size`;
    flags.add(cause, 'give a batch the room of an event at least');
  }
  return {
    mode: flags.choice(`${sink}-mode`, auditModes),
    batch: { ...batchOptions(flags, sink), maxBytes: isTruncated ? maxBatchBytes : Infinity },
    version: version(flags, `${sink}-version`),
    truncation: isTruncated ? { maxEventBytes } : undefined,
  };
}

/** With the group of events, whichever the profile. */
function version(flags: FlagReader, name: `${SinkName}-version`): AuditVersion {
  const text = flags.text(name);
  const groups = Object.values(namingProfiles).map(({ apiDomain }) => `audit.${apiDomain}`);
  const found = auditVersions.find((v) => text === v || groups.some((group) => text === `${group}/${v}`));
  if (found === undefined) {
    const cause = `flag --${name} has the value ${JSON.stringify(text)}`;
    flags.add(
      cause,
      `give one of ${auditVersions.join(', ')}, with the group of events before it or without`,
    );
  }
  return found ?? 'v1';
}

function batchOptions(flags: FlagReader, sink: SinkName): Omit<BatchOptions, 'maxBytes'> {
  const qps = flags.integer(`${sink}-batch-throttle-qps`, 1, most);
  const burst = flags.integer(`${sink}-batch-throttle-burst`, 1, most);
  return {
    bufferSize: flags.integer(`${sink}-batch-buffer-size`, 1, most),
    maxSize: flags.integer(`${sink}-batch-max-size`, 1, most),
    maxWaitMs: flags.duration(`${sink}-batch-max-wait`),
    throttle: flags.boolean(`${sink}-batch-throttle-enable`) ? { qps, burst } : undefined,
  };
}
