/** Access reviews: whether a user may do something (authorization *SubjectAccessReview). */
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from '../../api/authorization/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import { RequestSelectors, type SelectorSource } from '../../meta/request-selectors.ts';
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
  const info = infoOf(spec);
  const verdict = await reviewerOf(deps).decide({ user: subject(spec), info });
  return answered(scope, review, statusOf(verdict, problemsOf(info)));
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
    selectors: selectorsOf(attributes),
    parts: [resource, name, subresource].filter((part) => part !== ''),
  };
}

function selectorsOf({
  fieldSelector: field,
  labelSelector: label,
}: ResourceAttributes): RequestSelectors | undefined {
  return field == null && label == null
    ? undefined
    : new RequestSelectors(sourceOf(field ?? {}), sourceOf(label ?? {}));
}

function sourceOf({
  rawSelector = '',
  requirements,
}: FieldSelectorAttributes | LabelSelectorAttributes): SelectorSource {
  if (requirements == null || requirements.length === 0) return rawSelector;
  return requirements.map(({ key = '', operator = '', values }) => ({ key, operator, values: values ?? [] }));
}

/** What narrows a question and could not be read is told: the answer is about more. */
function problemsOf({ selectors }: RequestInfo): string[] {
  return (selectors?.partial ?? []).map(
    ({ name, isEmpty }) =>
      `spec.resourceAttributes.${name} ${isEmpty ? 'ignored' : 'partially ignored'} due to parse error`,
  );
}

function pathInfo({ path = '', verb = '' }: NonResourceAttributes): RequestInfo {
  return {
    isResourceRequest: false,
    ...{ path, verb },
    ...{ apiPrefix: '', apiGroup: '', apiVersion: '', namespace: '' },
    ...{ resource: '', subresource: '', name: '', parts: [] },
  };
}

function statusOf(
  { allowed, denied, reason, error }: AccessVerdict,
  problems: readonly string[],
): JsonObject {
  const evaluationError = [error, ...problems].filter((text) => text !== '').join('; ');
  return {
    allowed,
    ...(denied && { denied }),
    ...(reason !== '' && { reason }),
    ...(evaluationError !== '' && { evaluationError }),
  };
}
