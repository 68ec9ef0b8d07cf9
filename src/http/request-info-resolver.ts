/**
 * Resolves RequestInfo from method, path and query; the only place that knows the path formats.
 *
 *   /api/v1/[watch/]…                      core group
 *   /apis/{group}/{version}/[watch/]…      named groups
 *     …{resource}[/{name}[/{subresource}[/…]]]
 *     …namespaces/{namespace}/{resource}[/{name}[/{subresource}[/…]]]
 *     …namespaces/{name}[/status|/finalize]    the namespace itself
 */
import type { RequestInfo } from '../meta/request-info.ts';
import { RequestSelectors } from '../meta/request-selectors.ts';
import type { Query } from './query.ts';

/** A client of HTTP/2 may send any word as its method, also `constructor`. */
const verbOfMethod: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Path segments before the resource that name a verb (deprecated URLs). */
const verbWords: ReadonlySet<string> = new Set(['watch', 'proxy']);
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Strips scheme and authority from a request target in absolute form (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return origin.startsWith('?') || origin === '' ? `/${origin}` : origin;
}

/** False for `*` and for paths with a fragment: the authorized path must be the routed path. */
export function isOriginPath(rawPath: string): boolean {
  return rawPath.startsWith('/') && !rawPath.includes('#');
}

/** The path of a request target, percent-decoded once; undefined when its escapes are malformed. */
export function decodePath(rawPath: string): string | undefined {
  if (!rawPath.includes('%')) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return undefined;
  }
}

/** Parses a decoded path. A path of no known format is a non-resource request. */
export function parseRequestInfo(method: string, path: string, query: Query): RequestInfo {
  const parts = splitPath(path);
  const prefix = take(parts);
  const apiGroup = prefix === 'apis' ? take(parts) : '';
  const apiVersion = take(parts);
  const word = verbWords.has(parts[0] ?? '') ? take(parts) : '';
  if ((prefix !== 'api' && prefix !== 'apis') || parts.length === 0) return nonResource(method, path);
  const { namespace, rest } = takeNamespace(parts);
  const [resource = '', name = '', subresource = ''] = rest;
  const verb = word === '' ? (verbOfMethod.get(method) ?? '') : word;
  const ofCollection = collectionVerb(verb, name, query);
  return {
    isResourceRequest: true,
    path,
    verb: ofCollection,
    apiPrefix: prefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource: word === 'proxy' ? '' : subresource,
    name: name === '' ? nameOfFieldSelector(verb, query) : name,
    parts: rest,
    selectors: word === '' ? selectorsOf(ofCollection, query) : undefined,
  };
}

/** The info of a request for a non-resource URL. */
export function nonResource(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  };
}

function take(parts: string[]): string {
  return parts.shift() ?? '';
}

/** The segments between the outer slashes; inner empty segments are kept and match nothing. */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return start === end ? [] : path.slice(start, end).split('/');
}

function takeNamespace(target: readonly string[]): { namespace: string; rest: readonly string[] } {
  const [first, namespace, next] = target;
  if (first !== 'namespaces' || namespace === undefined) return { namespace: '', rest: target };
  const isItself = next === undefined || namespaceSubresources.has(next);
  return { namespace, rest: isItself ? target : target.slice(2) };
}

function collectionVerb(verb: string, name: string, query: Query): string {
  if (name !== '') return verb;
  if (verb === 'get') return query.flag('watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

const verbsWithSelectors: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Paths with a verb are left out, for not all of them have selectors. */
function selectorsOf(verb: string, query: Query): RequestSelectors | undefined {
  if (!verbsWithSelectors.has(verb)) return undefined;
  const [field, label] = [query.get('fieldSelector'), query.get('labelSelector')];
  return field === '' && label === '' ? undefined : new RequestSelectors(field, label);
}

/** A list or watch of exactly one name is authorized like that object. */
function nameOfFieldSelector(verb: string, query: Query): string {
  if (verb !== 'get' && verb !== 'watch' && verb !== 'delete') return '';
  const selector = query.get('fieldSelector');
  if (selector === '') return '';
  for (const term of selector.split(',')) {
    const match = /^\s*metadata\.name\s*==?\s*([^\s=,\\/%]+)\s*$/.exec(term);
    if (match?.[1] !== undefined && match[1] !== '.' && match[1] !== '..') return match[1];
  }
  return '';
}
