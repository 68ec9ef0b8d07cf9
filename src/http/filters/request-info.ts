/** Reads what the request asks for from method and path. */
import { badRequest } from '../../meta/status.ts';
import type { RequestContext } from '../context.ts';
import { decodePath, parseRequestInfo } from '../request-info.ts';
import type { Step } from './step.ts';

/** Refuses a path with malformed escapes (400): what it names cannot be authorized. */
export function withRequestInfo(): Step {
  return function requestInfo(context: RequestContext): void {
    const path = decodePath(context.rawPath);
    if (path === undefined) throw badRequest('the path of the request holds a malformed percent escape');
    context.info = parseRequestInfo(context.req.method ?? 'GET', path, context.query);
    context.longRunning = context.info.isResourceRequest && context.info.verb === 'watch';
  };
}
