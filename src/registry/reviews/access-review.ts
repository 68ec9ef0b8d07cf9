/** Access reviews: whether a user may do something (authorization *SubjectAccessReview). */
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '../../api/authorization/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { answered, admittedReview, reviewerOf } from './review.ts';
import type { AccessVerdict } from './reviewer.ts';

/**
 * For the user in the review.
 * @throws StatusError 400, 405, 422
 */
export function reviewAccess(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  return review(deps, scope, request, subjectOf);
}

/**
 * For the user of the request.
 * @throws StatusError 400, 405, 422
 */
export function reviewOwnAccess(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  return review(deps, scope, request, () => scope.user);
}

async function review(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
  subject: (spec: SubjectAccessReviewSpec) => UserInfo,
): Promise<JsonValue> {
  const review = await admittedReview(deps, scope, request);
  const spec = review['spec'] as SubjectAccessReviewSpec;
  const verdict = await reviewerOf(deps).decide({ user: subject(spec), info: infoOf(spec) });
  return answered(scope, review, statusOf(verdict));
}

function subjectOf({ user = '', uid = '', groups, extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, uid, groups: groups ?? [], extra: extra ?? {} };
}

function infoOf({ resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec): RequestInfo {
  return resourceAttributes == null
    ? pathInfo(nonResourceAttributes ?? {})
    : resourceInfo(resourceAttributes);
}

/** The RequestInfo of such a request. */
function resourceInfo(attributes: ResourceAttributes): RequestInfo {
  const { verb = '', group = '', version = '', namespace = '' } = attributes;
  const { resource = '', subresource = '', name = '' } = attributes;
  return {
    isResourceRequest: true,
    path: '',
    ...{ verb, namespace, resource, subresource, name },
    apiPrefix: group === '' ? 'api' : 'apis',
    apiGroup: group,
    apiVersion: version,
    parts: [resource, name, subresource].filter((part) => part !== ''),
  };
}

function pathInfo({ path = '', verb = '' }: NonResourceAttributes): RequestInfo {
  return {
    isResourceRequest: false,
    ...{ path, verb },
    ...{ apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '' },
    ...{ resource: '', subresource: '', name: '', parts: [] },
  };
}

function statusOf({ allowed, denied, reason, error }: AccessVerdict): JsonObject {
  return {
    allowed,
    ...(denied && { denied }),
    ...(reason !== '' && { reason }),
    ...(error !== '' && { evaluationError: error }),
  };
}
