/** What names an object, out of whatever object of it a test holds. */
import type { KindReference, ObjectLike, ObjectReference } from './objects.ts';

/** @throws TypeError for an object without a kind */
export function kindOf({ apiVersion, kind }: ObjectLike): KindReference {
  if (apiVersion === undefined || kind === undefined)
    throw new TypeError('the object has no apiVersion or no kind');
  return { apiVersion, kind };
}

/** @throws TypeError for an object without a kind or a name */
export function referenceOf(object: ObjectLike): ObjectReference {
  const { name, namespace } = object.metadata ?? {};
  if (name === undefined) throw new TypeError('the object has no metadata.name');
  return { ...kindOf(object), metadata: { name, ...(namespace !== undefined && { namespace }) } };
}
