/** Shared by the in-flight limits and API Priority and Fairness: exempt requests and the 429. */
import { isAlwaysAllowedPath } from '../../authz/always-allow-paths.ts';
import { tooManyRequests, type StatusError } from '../../meta/status.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import { isReadOnly, labelsOf } from './request-metrics.ts';

const retryAfterSeconds = 1;

/** Health checks are never rejected. */
export function isHealth({ info }: RequestContext): boolean {
  return !info.isResourceRequest && isAlwaysAllowedPath(info.path);
}

/** Counts a rejected request and returns the 429 with `Retry-After`. */
export function overloaded(context: RequestContext, metrics: ServerMetrics): StatusError {
  const kind = { request_kind: isReadOnly(context) ? 'readOnly' : 'mutating' };
  for (const family of [metrics.droppedRequests, metrics.formerDroppedRequests]) family.series(kind).add();
  metrics.requestTerminations.series({ ...labelsOf(context), code: '429' }).add();
  return tooManyRequests('too many requests, please try again later', retryAfterSeconds);
}
