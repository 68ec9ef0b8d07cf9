/**
 * Which requests may change the protocol of their connection. All others that ask for it are served as if they did not,
 * as RFC 9110 (section 7.8) allows: the connection stays usable for further requests.
 */
import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '../meta/request-info.ts';
import type { ResourceCatalogue } from '../registry/types.ts';
import { Query } from './query.ts';
import { wantsWebSocket } from './websocket.ts';
import { decodePath, originForm, parseRequestInfo } from './request-info-resolver.ts';

export interface UpgradeRuleParts {
  readonly catalogue: () => ResourceCatalogue;
  /** Requests that are served elsewhere, in whatever protocol is spoken there. */
  readonly isPassedOn?: ((info: RequestInfo) => boolean) | undefined;
}

/** Looks at request line and protocol only: everything else is judged by the filters. */
export function createUpgradeRule({
  catalogue,
  isPassedOn = () => false,
}: UpgradeRuleParts): (req: IncomingMessage) => boolean {
  return function mayUpgrade(req) {
    const url = originForm(req.url ?? '/');
    const mark = url.indexOf('?');
    const path = decodePath(mark < 0 ? url : url.slice(0, mark));
    if (path === undefined) return false;
    const info = parseRequestInfo(req.method ?? '', path, new Query(mark < 0 ? '' : url.slice(mark + 1)));
    if (isPassedOn(info)) return true;
    if (!info.isResourceRequest) return false;
    return info.verb === 'watch' ? wantsWebSocket(req) : isConnection(info, catalogue(), wantsWebSocket(req));
  };
}

/**
 * A subresource whose options have a kind of their own connects a client to something, in any protocol. The log of a pod,
 * which has none, is only sent.
 */
function isConnection(info: RequestInfo, catalogue: ResourceCatalogue, isWebSocket: boolean): boolean {
  const resource = catalogue.resource(info.apiGroup, info.apiVersion, info.resource);
  const subresource = resource?.subresource(info.subresource);
  return subresource?.type === 'connect' && (subresource.kind !== undefined || isWebSocket);
}
