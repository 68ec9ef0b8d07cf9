/** Responses that are not stored objects (Status, discovery, actions), in the negotiated form. */
import { SharedSlice } from '../base/cooperate.ts';
import type { JsonValue } from '../base/json.ts';
import { resultOf } from '../base/sliced-work.ts';
import { concatSliced } from './concat-sliced.ts';
import type { RequestContext } from './request-context.ts';
import type { Status } from '../meta/status.ts';
import type { ValueForm } from './representation/value-form.ts';
import { negotiateValueForm, outcomeForm } from './representation/value-form.ts';
import { sendBytes } from './respond.ts';
import { sendSliced, slicedBytes } from './sliced-stream.ts';

const making = new SharedSlice();
const atOnceBytes = 64 * 1024;

/** @throws StatusError 406 */
export function sendValue(context: RequestContext, code: number, value: unknown): void {
  send(context, code, { value, form: negotiateValueForm(context) });
}

/**
 * The same for a value that may be large: it is made and sent in several turns, which all such values share.
 * @throws StatusError 406
 */
export async function sendLargeValue(context: RequestContext, code: number, value: JsonValue): Promise<void> {
  const { mediaType, inSteps } = negotiateValueForm(context);
  const parts = await resultOf(inSteps(value), () => (making.shouldYield() ? making.yieldNow() : undefined));
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= atOnceBytes) sendBytes(context, code, mediaType, Buffer.concat(parts, bytes));
  else await sendSliced(context, code, mediaType, slicedBytes(await concatSliced(parts, making)));
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
