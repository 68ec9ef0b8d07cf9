/** The admission form of a write whose body has another kind than the object. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';

/** A kind (`Scale`) that admission gets instead of the object; it represents a part of it. */
export interface AdmittedForm {
  readonly kind: GroupVersionKind;
  /** The form of the object, as a copy. */
  of(object: ApiObject): ApiObject;
  /**
   * Writes a changed form back to the object.
   * @throws StatusError 422
   */
  into(object: ApiObject, body: ApiObject): void;
}
