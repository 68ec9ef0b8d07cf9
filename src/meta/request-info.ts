/**
 * RequestInfo: verb, resource and namespace of a request, parsed from its method, path and query; everything after
 * routing sees only this.
 */
import type { RequestSelectors } from './request-selectors.ts';

export type Verb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy';

export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** API verb for resource requests, lower-case HTTP method otherwise. */
  readonly verb: string;
  /** `api` or `apis` for resource requests. */
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** '' for cluster scope and for all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path's parts after group version (and namespace): resource, name, subresource and further ones. */
  readonly parts: readonly string[];
  /** What narrows a list, a watch or a deletion of many. */
  readonly selectors?: RequestSelectors | undefined;
}

/** What an authorizer decides upon. */
export interface AuthorizerAttributes {
  readonly user: import('./user.ts').UserInfo;
  readonly info: RequestInfo;
}
