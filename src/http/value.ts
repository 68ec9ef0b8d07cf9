/** Answers that are no stored objects (Status, discovery, actions), in the negotiated form. */
import type { JsonValue } from '../base/json.ts';
import type { RequestContext } from './context.ts';
import { negotiateSerializer } from './representation/negotiation.ts';
import { sendBytes } from './respond.ts';

/** @throws StatusError 406 */
export function sendValue(context: RequestContext, code: number, value: unknown): void {
  const serializer = negotiateSerializer(context);
  sendBytes(context, code, serializer.mediaType, Buffer.from(serializer.value(value as JsonValue)));
}
