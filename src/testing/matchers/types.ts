/** The matchers as `expect(…)` has them. */
import type { ConditionDetails } from './conditions.ts';
import type { OwnerOptions, OwnerReference } from './metadata.ts';

/** @typeParam R what a matcher gives: nothing, or a promise behind `resolves` and `rejects` */
export interface ObjectMatchers<R> {
  /** The object has a condition of this type, with this status (default `True`), reason and message. */
  toHaveCondition(type: string, status?: string, details?: ConditionDetails): R;
  /** `status.observedGeneration` is the generation of the object. */
  toBeObserved(): R;
  /** The object has this owner: one given as an object is known by its UID. */
  toBeOwnedBy(owner: OwnerReference, options?: OwnerOptions): R;
  /** This manager manages fields of the object: these (`spec.containers[name=main].image`), or any. */
  toBeManagedBy(manager: string, paths?: string | readonly string[]): R;
  /** The object has this finalizer. */
  toHaveFinalizer(name: string): R;
  /** The object was deleted, and waits for its finalizers or its grace period. */
  toBeTerminating(): R;
  /** The object has this label, with this value. */
  toHaveLabel(name: string, value?: string | RegExp): R;
  /** The object has this annotation, with this value. */
  toHaveAnnotation(name: string, value?: string | RegExp): R;
  /** The error is that of a request that was refused with this reason (`Conflict`) or HTTP status. */
  toBeRefusedWith(reason: string | number, message?: string | RegExp): R;
}
