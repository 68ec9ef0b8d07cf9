/** What admission sees of an update: the object, or the body where that is of another kind (`Scale`). */
import type { GroupVersionKind } from '../meta/gvk.ts';
import type { ApiObject } from '../meta/object.ts';
import type { AdmissionAttributes, AdmissionChain, RequestScope } from './types.ts';

/** A kind of bodies, each of which stands for a part of an object of the storage version. */
export interface AdmittedForm {
  readonly kind: GroupVersionKind;
  /** The object as such a body, which may be changed without changing the object. */
  of(object: ApiObject): ApiObject;
  /** Puts into the object what a body says. @throws StatusError 422 */
  into(object: ApiObject, body: ApiObject): void;
}

interface Updated {
  readonly scope: RequestScope;
  readonly name: string;
  readonly next: ApiObject;
  readonly before: ApiObject;
}

/** The update as admission is asked about it. */
export function updateAttributes(
  { scope, name, next, before }: Updated,
  form: AdmittedForm | undefined,
): AdmissionAttributes & { readonly object: ApiObject } {
  const shown = (object: ApiObject): ApiObject => form?.of(object) ?? object;
  const about = { object: shown(next), oldObject: shown(before), ...(form && { kind: form.kind }) };
  return { operation: 'UPDATE', scope, name, ...about };
}

/** Admission of a write that is part of another, which was asked about as a whole: nobody is asked again. */
export const askedAlready: AdmissionChain = {
  admit: () => Promise.resolve(),
  validate: () => Promise.resolve(),
  tellsOthers: () => false,
};
