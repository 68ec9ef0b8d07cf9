/** Errors of middleware and routers that a program adds. */
import { messageOf } from '../base/errors.ts';
import { StatusError } from '../meta/status.ts';

/**
 * The error as a Status. By the convention of Express, `status` of an error is the code of a client error; other
 * errors become a 500 with an audit id.
 */
export function middlewareError(error: unknown): unknown {
  if (error instanceof StatusError || typeof error !== 'object' || error === null) return error;
  const status: unknown = 'status' in error ? error.status : undefined;
  const isClients = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500;
  return isClients ? new StatusError(status, 'BadRequest', messageOf(error)) : error;
}
