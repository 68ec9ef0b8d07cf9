/** POST: creates an object. */
import type { JsonObject } from '../../base/json.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope, WriteResult } from '../types.ts';
import { writeObject } from './pipeline.ts';

/**
 * Creates an object from a body of the requested version.
 * @param name '' for the collection, where the body has the name
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
