/** What a sink writes with. */
import type { AuditLine } from './types.ts';

export interface AuditWriter {
  /** Rejects when not all of them were written, or the signal ends. Never called twice at once. */
  write(lines: readonly AuditLine[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Told of events that are lost, and why. */
export type LossReport = (events: number, cause: unknown) => void;
