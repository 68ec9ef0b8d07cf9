/** Group versions that other servers answer for (aggregated APIs), as this room sees them; the server composes them. */
import type { DiscoveredResource } from '../meta/discovered-resource.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Step } from './filters/step.ts';

/** A group version that is registered, of this or another server. */
export interface RegisteredApi {
  readonly group: string;
  readonly version: string;
  /** undefined if this service answers. */
  readonly remote: RemoteApi | undefined;
}

export interface RemoteApi {
  /** The server can be reached; if not, `resources` are those of earlier. */
  readonly isFresh: boolean;
  readonly resources: readonly DiscoveredResource[];
}

export interface RemoteApis {
  /** Serves the requests of a group version; undefined if this service answers for it. */
  serving(group: string, version: string): Step | undefined;
  /** All registered group versions in the order of discovery; the same value until one changes. */
  registered(): readonly RegisteredApi[];
  /** Connection draining: ends the long-running requests that other servers serve. */
  drain(): void;
}

const groupPath = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/;
const corePath = /^\/api(?:\/|$)/;

/** The group version that a request is about; everything below `/api` is about the core group. */
export function groupVersionOf(info: RequestInfo): { group: string; version: string } | undefined {
  if (info.isResourceRequest && info.apiPrefix === 'apis')
    return { group: info.apiGroup, version: info.apiVersion };
  if (info.isResourceRequest || corePath.test(info.path)) return { group: '', version: 'v1' };
  const [, group, version] = groupPath.exec(info.path) ?? [];
  return group === undefined || version === undefined ? undefined : { group, version };
}
