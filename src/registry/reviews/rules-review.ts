/** `selfsubjectrulesreviews`: the rules of the user in a namespace (authorization SelfSubjectRulesReview). */
import type { SelfSubjectRulesReviewSpec } from '../../api/authorization/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { badRequest } from '../../meta/status.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { answered, admittedReview, reviewerOf } from './review.ts';

/** @throws StatusError 400, 405, 422 */
export async function reviewOwnRules(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  const review = await admittedReview(deps, scope, request);
  const { namespace = '' } = review['spec'] as SelfSubjectRulesReviewSpec;
  if (namespace === '') throw badRequest('no namespace on request');
  const { incomplete, error, ...rules } = await reviewerOf(deps).rulesOf(scope.user, namespace);
  const status: JsonObject = {
    resourceRules: rules.resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      ...listed({ apiGroups, resources, resourceNames }),
    })),
    nonResourceRules: rules.nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      ...listed({ nonResourceURLs }),
    })),
    incomplete,
    ...(error !== '' && { evaluationError: error }),
  };
  return answered(scope, review, status);
}

/** Empty lists are omitted. */
function listed(lists: Readonly<Record<string, readonly string[]>>): JsonObject {
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [name, [...values]]));
}
