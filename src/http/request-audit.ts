/** What handlers of a request report to its audit trail. */
import type { AuditStage } from '../audit/types.ts';

/** The audit trail of one request; absent in its context where the policy does not want one. */
export interface RequestAudit {
  /** The whole body of the request. */
  noteSent(bytes: Buffer): void;
  /** A part of the answer's body. */
  noteAnswered(part: Buffer): void;
  /** Writes the event of a stage. Resolves with whether it was written. */
  record(stage: AuditStage): true | Promise<boolean>;
}
