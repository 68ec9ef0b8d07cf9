/** What handlers of a request report to its audit trail. */
import type { AuditStage } from '../audit/types.ts';

/** The audit trail of one request; absent if the policy does not record the request. */
export interface RequestAudit {
  /** The whole body of the request. */
  noteSent(bytes: Buffer): void;
  /** A part of the response body. */
  noteAnswered(part: Buffer): void;
  /** Records the event of a stage. Resolves with whether it was written. */
  record(stage: AuditStage): true | Promise<boolean>;
}
