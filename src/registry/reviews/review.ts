/** Shared by all reviews: validation of the request, and the response as the review with a status. */
import type { JsonObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import { invalidObject, methodNotSupported } from '../../meta/status.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { ActionRequest } from '../subresources/action.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { apiContext } from '../registry-context.ts';
import { decodeObject, nameOf, toInternalVersion } from '../write/decode.ts';
import { agreeNamespace } from '../write/object-meta.ts';
import type { AdmissionAttributes, RequestScope } from '../types.ts';
import type { Reviewer } from './reviewer.ts';

/**
 * The decoded and admitted review, in the internal version.
 * @throws StatusError 400, 405, 422, and of admission
 */
export async function admittedReview(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<ApiObject> {
  if (request.verb !== 'create') throw methodNotSupported();
  const context = apiContext(deps, scope);
  const review = toInternalVersion(scope.resource, decodeObject(scope, request.body ?? {}, context));
  // A missing spec is an empty one.
  fillZeroValues(scope.resource.storage.schema, asJson(review));
  if (scope.resource.namespaced) agreeNamespace(scope, review.metadata);
  const about = { scope, name: nameOf(review.metadata), object: review, oldObject: undefined };
  const attributes: AdmissionAttributes = { operation: 'CREATE', ...about };
  await deps.admission.admit(attributes);
  const errors = scope.resource.definition.strategy.validate?.(review, context) ?? [];
  if (errors.length > 0) throw invalidObject(scope.resource.gvk, '', errors);
  await deps.admission.validate(attributes);
  return review;
}

/** @throws StatusError 405 without a reviewer */
export function reviewerOf({ reviewer }: RegistryDeps): Reviewer {
  if (!reviewer) throw methodNotSupported();
  return reviewer;
}

/** The review with its status, in the version of the request. */
export function answered(scope: RequestScope, review: ApiObject, status: JsonObject): JsonObject {
  const object: JsonObject = { ...asJson(review), status };
  fillZeroValues(scope.resource.storage.schema, object);
  return scope.resource.conversion.fromInternal(object);
}
