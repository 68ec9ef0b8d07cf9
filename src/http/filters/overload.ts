/** What the two ways of bounding work share: whom they leave alone, and what those hear who come too late. */
import { isAlwaysAllowedPath } from '../../authz/always-allow-paths.ts';
import { tooManyRequests, type StatusError } from '../../meta/status.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../context.ts';
import { isReadOnly, labelsOf } from './request-metrics.ts';

const retryAfterSeconds = 1;

/** Subresources that are connections, which last as long as their clients like. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Watches and connections are not counted. */
export function isUnbounded({ longRunning, info }: RequestContext): boolean {
  return longRunning || info.verb === 'proxy' || connections.has(info.subresource);
}

/** Health is never refused. */
export function isHealth({ info }: RequestContext): boolean {
  return !info.isResourceRequest && isAlwaysAllowedPath(info.path);
}

/** Counts a request that is refused; gives what it is refused with: 429 and when to come again. */
export function overloaded(context: RequestContext, metrics: ServerMetrics): StatusError {
  metrics.droppedRequests.series({ request_kind: isReadOnly(context) ? 'readOnly' : 'mutating' }).add();
  metrics.requestTerminations.series({ ...labelsOf(context), code: '429' }).add();
  return tooManyRequests('too many requests, please try again later', retryAfterSeconds);
}
