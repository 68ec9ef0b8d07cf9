/** Subresources that lead to what an object stands for: the log of a container, a process in it, ports, HTTP. */
import type { ApiObject } from '../../meta/object.ts';
import type { SubresourceDefinition } from '../types.ts';

type Connection<T extends ApiObject> = SubresourceDefinition<T>;

const httpVerbs = ['create', 'delete', 'get', 'patch', 'update'];

/** A stream in both directions, opened by GET or POST. */
export function streamConnection<T extends ApiObject>(
  name: string,
  kind: string,
  handler: string,
): Connection<T> {
  const options = { group: '', version: 'v1', kind };
  return { name, kind: options, options, verbs: ['create', 'get'], type: 'connect', handler };
}

/** Requests that are passed on as they are, with the path behind the subresource. */
export function proxyConnection<T extends ApiObject>(kind: string, handler: string): Connection<T> {
  const options = { group: '', version: 'v1', kind };
  return { name: 'proxy', kind: options, options, verbs: httpVerbs, type: 'connect', handler, hasPath: true };
}

/** Text that is read. */
export function textConnection<T extends ApiObject>(
  name: string,
  optionsKind: string,
  handler: string,
): Connection<T> {
  const options = { group: '', version: 'v1', kind: optionsKind };
  return { name, options, verbs: ['get'], type: 'connect', handler };
}
