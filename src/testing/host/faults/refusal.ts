/** The answers of a service that refuses, as production gives them. */
import {
  badRequest,
  internalServerError,
  serviceUnavailable,
  StatusError,
  timedOut,
  tooManyRequests,
} from '../../../meta/status.ts';

const why = 'refused by a fault of the test';

type Build = (retryAfter: number) => StatusError;

const builders: ReadonlyMap<number, Build> = new Map<number, Build>([
  [400, () => badRequest(why)],
  [401, () => new StatusError(401, 'Unauthorized', why)],
  [403, () => new StatusError(403, 'Forbidden', why)],
  [404, () => new StatusError(404, 'NotFound', why)],
  [409, () => new StatusError(409, 'Conflict', why)],
  [410, () => new StatusError(410, 'Expired', why)],
  [422, () => new StatusError(422, 'Invalid', why)],
  [429, (retryAfter) => tooManyRequests(why, retryAfter)],
  [500, () => internalServerError(why)],
  [503, (retryAfter) => serviceUnavailable(why, retryAfter)],
  [504, () => timedOut(why)],
]);

/** What can be answered. */
export const refusalCodes: readonly number[] = [...builders.keys()];

/** @throws TypeError for a status that no refusal has */
export function refusalOf(status: number, retryAfter = 1): StatusError {
  const build = builders.get(status);
  if (build === undefined)
    throw new TypeError(`a request is refused with one of ${refusalCodes.join(', ')}, not ${String(status)}`);
  return build(retryAfter);
}
