/** What a backend writes with. */
import type { AuditLine } from './types.ts';

export interface AuditWriter {
  /**
   * Rejects when not all of them were written, or the signal ends. May be called while earlier calls are under way: a
   * writer that cannot do both at once keeps the order.
   */
  write(lines: readonly AuditLine[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Called with the number of lost events and the cause. */
export type LossReport = (events: number, cause: unknown) => void;
