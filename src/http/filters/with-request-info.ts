/** Resolves RequestInfo from method and path. */
import { badRequest } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import { decodePath, isOriginPath, parseRequestInfo } from '../request-info-resolver.ts';
import { isLongRunning } from '../long-running.ts';
import type { Step } from './step.ts';

/**
 * Rejects ambiguous requests with 400: a malformed path cannot be authorized, and ignoring a malformed selector would
 * make a deletion match everything.
 */
export function withRequestInfo(): Step {
  return function requestInfo(context: RequestContext): void {
    const path = decodePath(context.rawPath);
    if (path === undefined) throw badRequest('the path of the request holds a malformed percent escape');
    if (!isOriginPath(context.rawPath)) throw badRequest('the path of the request is malformed');
    if (context.query.isMalformed())
      throw badRequest('the query of the request holds a malformed percent escape');
    context.info = parseRequestInfo(context.req.method ?? 'GET', path, context.query);
    context.longRunning = isLongRunning(context.info);
  };
}
