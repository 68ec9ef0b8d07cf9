/** Errors of middleware and routers that are not part of this service. */
import { messageOf } from '../base/errors.ts';
import { StatusError } from '../meta/status.ts';

/**
 * The error as the API answers it. By Express' convention an error names the code of a client's mistake in `status`; all
 * others are unknown errors of the program, which the chain answers with 500 and an audit id.
 */
export function middlewareError(error: unknown): unknown {
  if (error instanceof StatusError || typeof error !== 'object' || error === null) return error;
  const status: unknown = 'status' in error ? error.status : undefined;
  const isClients = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500;
  return isClients ? new StatusError(status, 'BadRequest', messageOf(error)) : error;
}
