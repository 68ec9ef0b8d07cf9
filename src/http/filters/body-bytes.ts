/**
 * Bounds the bytes of request bodies in work. Runs before the request gets its seat: who waits for bytes must not keep
 * those waiting who send none.
 */
import type { IncomingMessage } from 'node:http';
import type { BodyLimits } from '../body.ts';
import type { BodyBudget } from '../body-budget.ts';
import type { RequestContext } from '../context.ts';
import type { Step } from './step.ts';

/** Refuses with 429 when the wait has no end. Small bodies do not wait. */
export function withBodyBytes(budget: BodyBudget, limits: BodyLimits): Step {
  return function bodyBytes(context: RequestContext): void | Promise<void> {
    const bytes = announcedBytes(context.req, limits.maxBytes);
    if (bytes > limits.smallBytes) return budget.take(context, bytes);
  };
}

/** A chunked body may be as long as bodies may be; what is announced to be longer is refused unread. */
function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBytes;
  const length = Number(headers['content-length'] ?? 0);
  return length > maxBytes ? 0 : length;
}
