/** Keys of objects and of a request's scope inside their collection. */
import type { ObjectAddress } from '../meta/object-errors.ts';
import type { RequestScope } from './types.ts';
import type { ObjectKey } from '../storage/types.ts';

/** Key of one object in the scope's namespace. */
export function objectKey(scope: RequestScope, name: string): ObjectKey {
  return scope.resource.namespaced ? `${scope.namespace}/${name}` : name;
}

/** The object that a request names, as errors name it. */
export function addressOf({ resource, namespace }: RequestScope, name: string): ObjectAddress {
  return { resource: resource.gvr, namespace: resource.namespaced ? namespace : '', name };
}

/** Prefix of every key in the scope: a namespace or the whole collection. */
export function scopePrefix(scope: RequestScope): string {
  return scope.resource.namespaced && scope.namespace !== '' ? `${scope.namespace}/` : '';
}
