/** When a terminating object can be removed (API conventions, "Metadata": finalizers). */
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

/** Namespaces have additional finalizers in `spec.finalizers`. */
export function specFinalizers(object: ApiObject): readonly unknown[] {
  if (object.kind !== 'Namespace') return [];
  const { finalizers } = (object['spec'] ?? {}) as { finalizers?: unknown[] | null };
  return finalizers ?? [];
}

/** True if a finalizer prevents the removal of the object. */
export function hasFinalizers(object: ApiObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || specFinalizers(object).length > 0;
}
