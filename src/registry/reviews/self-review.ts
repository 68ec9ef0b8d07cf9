/** `selfsubjectreviews`: the user of the request (KEP-3325). */
import type { JsonValue } from '../../base/json.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import { admittedReview, answered } from './review.ts';
import { userJson } from './token-review.ts';

/** @throws StatusError 400, 405, 422, and of admission */
export async function reviewSelf(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  const review = await admittedReview(deps, scope, request);
  return answered(scope, review, { userInfo: userJson(scope.user) });
}
