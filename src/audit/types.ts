/**
 * The interface of `audit`: which user did what, when, and with what outcome. The policy decides how much is recorded
 * of a request, backends write the events. Nothing here knows of HTTP.
 */
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';

/** Audit levels: each records more than the one before. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** When an event is made. `Panic` never is: an internal error of the service completes a request with code 500. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** What a policy decides upon. */
export interface AuditAttributes {
  /** undefined: no authenticator accepted the credentials. */
  readonly user: UserInfo | undefined;
  readonly info: RequestInfo;
}

export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
}

/** An event as one line of JSON, without the line's end. */
export type AuditLine = string;

/** Where events go. */
export interface AuditBackend {
  /** Name for logs and metrics. */
  readonly name: string;
  /** Accepts an event; the promise, if any, rejects when the event could not be recorded. */
  take(line: AuditLine): void | Promise<void>;
  /** Resolves when all that was taken is written, or a deadline passed. */
  close(): Promise<void>;
}
