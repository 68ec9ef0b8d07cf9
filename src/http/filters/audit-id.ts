/** Assigns every request an id that its response, the log and audit events share. */
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

const acceptable = /^[A-Za-z0-9._:-]{1,64}$/;

/** A valid `Audit-Id` of the client is kept, so that requests can be traced through several services. */
export function withAuditId(): Step {
  return function auditId(context: RequestContext): void {
    const given = context.req.headers['audit-id'];
    context.auditId =
      typeof given === 'string' && acceptable.test(given) ? given : context.phase.random.uuid();
  };
}
