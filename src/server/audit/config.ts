/** What is told of requests and where, as far as flags say it. Paths are not read yet; '': not given. */
import type { BatchOptions } from '../../audit/buffered-sink.ts';
import type { AuditVersion } from '../../audit/event-versions.ts';

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
  /** undefined: events are as large as they are. */
  readonly truncation: TruncationConfig | undefined;
}

export interface AuditWebhookConfig extends AuditSinkConfig {
  /** Where it is and who to be there; '': there is none. */
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
