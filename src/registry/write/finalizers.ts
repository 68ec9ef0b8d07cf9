/** When a terminating object may go (specification, "Deletion of any object"). */
import type { ApiObject } from '../../meta/object.ts';

/** True when deletion was requested, no finalizer remains and no grace period runs. */
export function isReadyToGo(object: ApiObject): boolean {
  const { metadata } = object;
  return (
    metadata.deletionTimestamp != null &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    specFinalizers(object).length === 0
  );
}

/** Namespaces carry finalizers of their own in `spec.finalizers`. */
export function specFinalizers(object: ApiObject): readonly unknown[] {
  if (object.kind !== 'Namespace') return [];
  const { finalizers } = (object['spec'] ?? {}) as { finalizers?: unknown[] | null };
  return finalizers ?? [];
}

/** True when something still has to happen before the object may be removed. */
export function hasFinalizers(object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || specFinalizers(object).length > 0;
}
