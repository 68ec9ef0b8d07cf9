/** What names an object, out of whatever object of it a test holds. */
import { isObject, judge, that } from './judge.ts';
import type { KindReference, ObjectLike, ObjectReference } from './objects.ts';

/** @throws TypeError for an object without a kind, or what is no object */
export function kindOf(object: ObjectLike): KindReference {
  judge('what names a kind', object, that('an object with apiVersion and kind', isObject));
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new TypeError('the object has no apiVersion or no kind');
  return { apiVersion, kind };
}

/** @throws TypeError for an object without a kind or a name, or what is no object */
export function referenceOf(object: ObjectLike): ObjectReference {
  judge('what names an object', object, that('an object with apiVersion, kind and metadata.name', isObject));
  const { name, namespace } = object.metadata ?? {};
  if (typeof name !== 'string') throw new TypeError('the object has no metadata.name');
  return { ...kindOf(object), metadata: { name, ...(namespace !== undefined && { namespace }) } };
}
