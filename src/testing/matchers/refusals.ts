/** What the service refuses. */
import type { MatcherResult } from './received.ts';

interface StatusLike {
  readonly reason?: string;
  readonly code?: number;
  readonly message?: string;
}

/**
 * Is this the error of a request that was refused with this reason or HTTP status? For errors of the client of this
 * package, and of `@kubernetes/client-node`.
 * @param message a part of what the service says, or what it matches
 */
export function toBeRefusedWith(
  received: unknown,
  reason: string | number,
  message?: string | RegExp,
): MatcherResult {
  const status = statusOf(received);
  const isReason = typeof reason === 'number' ? status?.code === reason : status?.reason === reason;
  const text = status?.message ?? '';
  const isMessage =
    message === undefined || (typeof message === 'string' ? text.includes(message) : message.test(text));
  const pass = status !== undefined && isReason && isMessage;
  const expected = `${String(reason)}${message === undefined ? '' : ` with ${String(message)}`}`;
  const there =
    status === undefined
      ? `it is no answer of the service: ${String(received)}`
      : `the service answered ${String(status.code)} ${String(status.reason)}: ${text}`;
  return {
    pass,
    message: () => `expected the request ${pass ? 'not ' : ''}to be refused with ${expected}\n${there}`,
  };
}

/** Of `ApiError`, or of an error with the body of the answer. */
function statusOf(received: unknown): StatusLike | undefined {
  if (typeof received !== 'object' || received === null) return undefined;
  const { status, body } = received as { readonly status?: unknown; readonly body?: unknown };
  if (typeof status === 'object' && status !== null) return status;
  if (typeof body === 'object' && body !== null) return body;
  return typeof body === 'string' ? parsed(body) : undefined;
}

function parsed(body: string): StatusLike | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
