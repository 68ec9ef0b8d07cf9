/**
 * The current object of a write. The view is free and nearly always current; as it may be stale, a write that fails
 * on it is retried with a quorum read (`fresh`).
 */
import { ObjectNotFound } from '../../meta/object-errors.ts';
import type { Current } from '../written-entry.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { translated } from '../storage-errors.ts';
import { addressOf, objectKey } from '../scope-keys.ts';
import type { RequestScope } from '../types.ts';

/**
 * The object from the view; from a quorum read if the view has none, or if webhooks are called, which a retry would
 * call twice.
 */
export async function currentObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
): Promise<Current | undefined> {
  if (deps.admission.callsWebhooks(scope)) return freshObject(deps, scope, name);
  const entry = deps.storage.peek(scope.resource.storage.collection, objectKey(scope, name));
  return entry ? { entry, fresh: false } : freshObject(deps, scope, name);
}

/** The object from a quorum read. */
export async function freshObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
): Promise<Current | undefined> {
  const { collection } = scope.resource.storage;
  const entry = await translated(addressOf(scope, name), () =>
    deps.storage.get(
      collection,
      objectKey(scope, name),
      { kind: 'mostRecent' },
      scope.lifetime ?? scope.signal,
    ),
  );
  return entry && { entry, fresh: true };
}

/** @throws ObjectMissing */
export function assertFound(current: Current | undefined, scope: RequestScope, name: string): Current {
  if (current === undefined) throw new ObjectNotFound(addressOf(scope, name));
  return current;
}
