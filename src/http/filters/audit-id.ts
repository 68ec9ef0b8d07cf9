/** Gives every request an id that its answer, the log and the audit trail share. */
import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../context.ts';
import type { Step } from './step.ts';

const acceptable = /^[A-Za-z0-9._:-]{1,64}$/;

/** A client's own `Audit-Id` is kept when it is harmless, so that a chain of services can be followed. */
export function withAuditId(): Step {
  return function auditId(context: RequestContext): void {
    const given = context.req.headers['audit-id'];
    context.auditId = typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
  };
}
