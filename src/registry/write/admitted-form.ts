/** What admission sees of a write whose body is of another kind than the object. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';

/** A kind of bodies (`Scale`) that admission sees instead of the object; each stands for a part of one. */
export interface AdmittedForm {
  readonly kind: GroupVersionKind;
  /** The object as such a body, which may be changed without changing the object. */
  of(object: ApiObject): ApiObject;
  /** Puts into the object what a body says. @throws StatusError 422 */
  into(object: ApiObject, body: ApiObject): void;
}
