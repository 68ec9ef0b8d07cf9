/** Updates by a function of the current object: patches, subresources and internal writes. */
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope, Transform, WriteResult } from '../types.ts';
import { writeObject } from './pipeline.ts';

/**
 * Applies a transform to an existing object.
 * @throws ObjectMissing, StatusError 400, 403, 409, 422, and errors of the transform
 */
export function updateObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  transform: Transform,
): Promise<WriteResult> {
  return writeObject(deps, scope, name, {
    update: (current, isFilled) => ({ object: transform(current, isFilled) }),
  });
}
