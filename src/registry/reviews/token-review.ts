/** `tokenreviews`: the user of a token (authentication TokenReview) */
import type { TokenReviewSpec } from '../../api/authentication/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { setOwn } from '../../base/json.ts';
import { badRequest } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { answered, admittedReview, reviewerOf } from './review.ts';

/** @throws StatusError 400, 405, 422 */
export async function reviewToken(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  const review = await admittedReview(deps, scope, request);
  const { token = '', audiences } = review['spec'] as TokenReviewSpec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const verdict = await reviewerOf(deps).identify(token, audiences ?? []);
  const { user, error } = verdict;
  const status: JsonObject = {
    ...(user && { authenticated: true, user: userJson(user) }),
    ...(user && verdict.audiences.length > 0 && { audiences: [...verdict.audiences] }),
    ...(error !== '' && { error }),
  };
  return answered(scope, review, status);
}

/** A user as reviews show it. */
export function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  const more: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(more, key, [...values]);
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(more).length > 0 && { extra: more }),
  };
}
