/** POST: makes a new object. */
import type { JsonObject } from '../../base/json.ts';
import type { RegistryDeps } from '../context.ts';
import type { RequestScope, WriteResult } from '../types.ts';
import { writeObject } from './pipeline.ts';

/**
 * Makes a new object from a body of the request's version.
 * @param name '' for a create in the collection, which takes the name from the body
 * @throws ObjectExists, StatusError 400, 403, 409, 422
 */
export function createObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  body: JsonObject,
): Promise<WriteResult> {
  return writeObject(deps, scope, name, { create: () => ({ object: body }) });
}
