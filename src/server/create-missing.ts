/** Objects that the service makes at start and never changes: namespaces, priority classes. */
import type { JsonObject } from '../base/json.ts';
import { StatusError } from '../meta/status.ts';
import type { RequestScope, ResourceVerbs } from '../registry/types.ts';

/**
 * Creates an object unless there is one of its name; replicas that start together may all try. It looks first, for mostly
 * nothing is missing.
 * @throws StatusError when etcd is away or admission refuses
 */
export async function createMissing(
  verbs: ResourceVerbs,
  scope: RequestScope,
  object: JsonObject & { readonly metadata: { readonly name: string } },
): Promise<void> {
  if (await isThere(verbs, scope, object.metadata.name)) return;
  try {
    await verbs.create(scope, '', object);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
  }
}

async function isThere(verbs: ResourceVerbs, scope: RequestScope, name: string): Promise<boolean> {
  try {
    await verbs.get(scope, name, { resourceVersion: '' });
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NotFound') return false;
    throw error;
  }
}
