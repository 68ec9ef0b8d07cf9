/** Responses that are not stored objects (Status, discovery, actions), in the negotiated form. */
import type { JsonValue } from '../base/json.ts';
import type { RequestContext } from './request-context.ts';
import type { Status } from '../meta/status.ts';
import type { ValueForm } from './representation/value-form.ts';
import { negotiateValueForm, outcomeForm } from './representation/value-form.ts';
import { sendBytes } from './respond.ts';

/** @throws StatusError 406 */
export function sendValue(context: RequestContext, code: number, value: unknown): void {
  send(context, code, { value, form: negotiateValueForm(context) });
}

/**
 * Sends the outcome of completed work; JSON if nothing acceptable fits (a Status has no Table), as a 406 would be
 * misleading.
 */
export function sendOutcome(context: RequestContext, status: Status): void {
  context.outcome = status;
  send(context, status.code, { value: status, form: outcomeForm(context) });
}

interface Answer {
  readonly value: unknown;
  readonly form: ValueForm;
}

function send(context: RequestContext, code: number, { value, form }: Answer): void {
  sendBytes(context, code, form.mediaType, form.bytes(value as JsonValue));
}
