/** What a scope looks at in a request. */
import type { RequestContext } from '../../../http/request-context.ts';
import { adminClientAgent } from '../../admin-client-agent.ts';
import type { FaultScope } from '../../fault-orders.ts';

export interface StruckRequest {
  readonly user: string;
  readonly verb: string;
  /** `pods`, `deployments.apps` */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isOfAdminClient: boolean;
}

/** undefined for what is no request of a resource. */
export function struckRequestOf(context: RequestContext): StruckRequest | undefined {
  const { info, user } = context;
  if (!info.isResourceRequest) return undefined;
  return {
    user: user.name,
    verb: info.verb,
    resource: info.apiGroup === '' ? info.resource : `${info.resource}.${info.apiGroup}`,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    isOfAdminClient: context.header('user-agent') === adminClientAgent,
  };
}

/** The resource with its subresource: `pods/status`. */
export function fullResource({ resource, subresource }: StruckRequest): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** Whether the request is one that the scope is about; rate and number are not its matter. */
export function isInScope(request: StruckRequest, scope: FaultScope): boolean {
  return (
    (scope.includeAdminClient === true || !request.isOfAdminClient) &&
    (scope.user ?? request.user) === request.user &&
    (scope.namespace ?? request.namespace) === request.namespace &&
    (scope.name ?? request.name) === request.name &&
    isOneOf(scope.verb, (verb) => verb === request.verb) &&
    isOneOf(scope.resource, (resource) => isResource(request, resource))
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, isIt: (one: string) => boolean): boolean {
  const all = typeof wanted === 'string' ? [wanted] : (wanted ?? ['*']);
  return all.some((one) => one === '*' || isIt(one));
}

function isResource({ resource, subresource }: StruckRequest, wanted: string): boolean {
  const [whole = '', part] = wanted.split('/', 2);
  const isObject = whole === resource || whole === resource.split('.')[0];
  return isObject && (part ?? subresource) === subresource;
}
