/** Answers that are no stored objects (Status, discovery, actions), in the negotiated form. */
import type { JsonValue } from '../base/json.ts';
import type { RequestContext } from './context.ts';
import type { Status } from '../meta/status.ts';
import { acceptedSerializer, negotiateSerializer } from './representation/negotiation.ts';
import type { Serializer } from './representation/serializer.ts';
import { compactJson } from './representation/serializer.ts';
import { sendBytes } from './respond.ts';

/** @throws StatusError 406 */
export function sendValue(context: RequestContext, code: number, value: unknown): void {
  send(context, code, { value, serializer: negotiateSerializer(context) });
}

/** The outcome of work that is done: JSON where nothing fits (a Status is no Table), for refusing it now would mislead. */
export function sendOutcome(context: RequestContext, status: Status): void {
  send(context, status.code, { value: status, serializer: acceptedSerializer(context) ?? compactJson });
}

interface Answer {
  readonly value: unknown;
  readonly serializer: Serializer;
}

function send(context: RequestContext, code: number, { value, serializer }: Answer): void {
  sendBytes(context, code, serializer.mediaType, Buffer.from(serializer.value(value as JsonValue)));
}
