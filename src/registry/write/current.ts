/**
 * The object that a write starts from. The replica's view is nearly always right and costs nothing; since it may be
 * stale, a write that it would reject starts again from a quorum read (`fresh`).
 */
import { ObjectNotFound } from '../../meta/object-errors.ts';
import type { Current } from '../entry.ts';
import type { RegistryDeps } from '../context.ts';
import { translated } from '../errors.ts';
import { addressOf, objectKey } from '../scope-keys.ts';
import type { RequestScope } from '../types.ts';

/**
 * The object as the view has it, or as a quorum read finds it when the view has none, or when a webhook will be
 * called for the write: one that starts from an old state would call it twice.
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

/** The object as a quorum read finds it. */
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
