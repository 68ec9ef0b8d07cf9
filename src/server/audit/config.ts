/** What is told of requests and where, as far as flags say it. Paths are not read yet; '': not given. */
import type { BatchOptions } from '../../audit/buffered-sink.ts';

export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof auditModes)[number];

export interface AuditConfig {
  readonly policyFile: string;
  readonly log: AuditLogConfig;
  readonly webhook: AuditWebhookConfig;
}

export interface AuditWebhookConfig {
  /** Where it is and who to be there; '': there is none. */
  readonly configFile: string;
  readonly initialBackoffMs: number;
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
}

export interface AuditLogConfig {
  /** `-`: standard output. */
  readonly path: string;
  readonly maxMegabytes: number;
  readonly maxAgeDays: number;
  readonly maxBackups: number;
  readonly mode: AuditMode;
  readonly batch: BatchOptions;
}
