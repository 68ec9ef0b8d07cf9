/** The write takes effect, and the client does not hear of it. */
import { ServerResponse } from 'node:http';
import type { RequestContext } from '../../../http/request-context.ts';
import { OutcomeUnknown } from '../../../registry/storage-errors.ts';
import type { LostAnswer } from '../../fault-orders.ts';

/**
 * Serves the request with an answer that goes nowhere, then cuts the connection, or answers as over a store that did not
 * answer in time. What is refused is refused.
 */
export async function loseAnswer(
  context: RequestContext,
  as: LostAnswer,
  serve: (asked: RequestContext) => Promise<void>,
): Promise<void> {
  const nowhere = { value: new ServerResponse(context.req) };
  await serve(Object.create(context, { res: nowhere }) as RequestContext);
  if (as === 'timeout') throw new OutcomeUnknown();
  context.res.destroy();
}
