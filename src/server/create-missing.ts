/** Creates objects at start that are never changed: namespaces, priority classes. */
import type { JsonObject } from '../base/json.ts';
import { isObjectAlreadyExists, isObjectNotFound } from '../meta/object-errors.ts';
import { addressOf } from '../registry/scope-keys.ts';
import type { RequestScope, ResourceVerbs } from '../registry/types.ts';

/**
 * Creates an object unless its name exists; replicas may run this concurrently. Reads first, as it usually exists.
 * @throws StatusError if etcd is unavailable or admission rejects it
 */
export async function createMissing(
  verbs: ResourceVerbs,
  scope: RequestScope,
  object: JsonObject & { readonly metadata: { readonly name: string } },
): Promise<void> {
  const { name } = object.metadata;
  if (await isThere(verbs, scope, name)) return;
  try {
    await verbs.create(scope, '', object);
  } catch (error) {
    if (!isObjectAlreadyExists(error, addressOf(scope, name))) throw error;
  }
}

async function isThere(verbs: ResourceVerbs, scope: RequestScope, name: string): Promise<boolean> {
  try {
    await verbs.get(scope, name, { resourceVersion: '' });
    return true;
  } catch (error) {
    if (isObjectNotFound(error, addressOf(scope, name))) return false;
    throw error;
  }
}
