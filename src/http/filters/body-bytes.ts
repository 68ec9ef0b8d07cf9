/**
 * Limits the bytes of request bodies in flight. Runs before the request takes a seat: a request that waits for bytes
 * must not block requests without a body.
 */
import type { IncomingMessage } from 'node:http';
import type { BodyLimits } from '../body.ts';
import type { BodyBudget } from '../body-budget.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

/** Rejects with 429 when the wait times out. Small bodies do not wait. */
export function withBodyBytes(budget: BodyBudget, limits: BodyLimits): Step {
  return function bodyBytes(context: RequestContext): void | Promise<void> {
    // Bodies of connections are passed on while they arrive.
    if (context.longRunning) return;
    const bytes = announcedBytes(context.req, limits.maxBytes);
    if (bytes > limits.smallBytes) return budget.take(context, bytes);
  };
}

/** A chunked body counts with the maximum size; a larger Content-Length is rejected unread. */
function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBytes;
  const length = Number(headers['content-length'] ?? 0);
  return length > maxBytes ? 0 : length;
}
