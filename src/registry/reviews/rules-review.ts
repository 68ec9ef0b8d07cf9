/** `selfsubjectrulesreviews`: the rules of the user in a namespace (authorization SelfSubjectRulesReview). */
import type { SelfSubjectRulesReviewSpec } from '../../api/authorization/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { badRequest } from '../../meta/status.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { listedNonResourceRules, listedResourceRules, ListedText, nextReview } from './listed-rules.ts';
import { answered, admittedReview, reviewerOf } from './review.ts';

const tooLong = 'the rules are too long to be listed: some were left out';

/** @throws StatusError 400, 405, 422 */
export async function reviewOwnRules(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  const review = await admittedReview(deps, scope, request);
  const { namespace = '' } = review['spec'] as SelfSubjectRulesReviewSpec;
  if (namespace === '') throw badRequest('no namespace on request');
  await nextReview();
  const { incomplete, error, ...rules } = await reviewerOf(deps).rulesOf(scope.user, namespace);
  const text = new ListedText();
  const lists = {
    resourceRules: await listedResourceRules(rules.resourceRules, text),
    nonResourceRules: await listedNonResourceRules(rules.nonResourceRules, text),
  };
  const problems = [error, text.isSpent ? tooLong : ''].filter((problem) => problem !== '');
  const status: JsonObject = {
    ...{ resourceRules: [], nonResourceRules: [], incomplete: incomplete || text.isSpent },
    ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
  };
  const answer = answered(scope, review, status);
  return { ...answer, status: { ...(answer['status'] as JsonObject), ...lists } };
}
