/**
 * The path and query of a request as traces show them. What this API does not define itself may be a secret: arguments of commands,
 * and paths and parameters of what is passed on to other programs.
 */
import { withoutEndSlashes } from '../../base/end-slashes.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { Query } from '../query.ts';

/** Parameters with a meaning of this API; of others the name is shown. */
const knownParameters: ReadonlySet<string> = new Set([
  ...['allowWatchBookmarks', 'continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion'],
  ...['resourceVersionMatch', 'sendInitialEvents', 'timeoutSeconds', 'timeout', 'watch', 'pretty'],
  ...['dryRun', 'fieldManager', 'fieldValidation', 'force', 'gracePeriodSeconds', 'propagationPolicy'],
  ...['orphanDependents', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'includeObject'],
  ...[
    'container',
    'follow',
    'previous',
    'sinceSeconds',
    'sinceTime',
    'tailLines',
    'limitBytes',
    'timestamps',
  ],
  ...['stdin', 'stdout', 'stderr', 'tty', 'ports', 'verbose', 'exclude', 'seconds', 'profile'],
]);
const longestPath = 512;
const mostParameters = 32;

/** The path of the request, and path with query. */
export function shownTarget(info: RequestInfo, query: Query): { path: string; target: string } {
  const path = shownPath(info).slice(0, longestPath);
  const shown: string[] = [];
  for (const [name, value] of query.entries()) {
    if (shown.length >= mostParameters) break;
    shown.push(`${encodeURIComponent(name)}=${knownParameters.has(name) ? encodeURIComponent(value) : '_'}`);
  }
  return { path, target: shown.length === 0 ? path : `${path}?${shown.join('&')}` };
}

/** Without what follows a subresource, or the object of the former verb `proxy`: that is a path of another program. */
function shownPath({ isResourceRequest, path, parts, verb }: RequestInfo): string {
  const further = parts.length - (verb === 'proxy' ? 2 : 3);
  if (!isResourceRequest || further <= 0) return path;
  const segments = withoutEndSlashes(path).split('/');
  return `${segments.slice(0, -further).join('/')}/_`;
}
