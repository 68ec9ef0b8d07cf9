/**
 * The part of another server's OpenAPI v2 document that is about its group version. What it says of other groups is
 * left out: a server describes only what it is registered for.
 */
import { isObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { GroupVersion } from '../../../meta/gvk.ts';
import { mapMembers, neededDefinitions } from './references.ts';
import { assertPaths, assertSchemas } from './shape.ts';

export interface RemoteV2 {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
}

export const definitionPrefix = '#/definitions/';
const parameterPrefix = '#/parameters/';
/** Paths and definitions that a server may add: each is a buffer of its own, which the serving thread takes over. */
const mostMembers = 20_000;

/** @throws Error if it is no such document, or a reference in it leads nowhere */
export function readV2(document: JsonValue, gv: GroupVersion): RemoteV2 {
  if (!isObject(document) || document['swagger'] !== '2.0') throw new Error('no OpenAPI v2 document');
  const definitions = objectOf(document['definitions'], 'definitions');
  const parameters = objectOf(document['parameters'], 'parameters');
  const own = Object.entries(objectOf(document['paths'], 'paths')).filter(([path]) => isOwnPath(path, gv));
  assertFew(own.length);
  const paths = mapMembers(Object.fromEntries(own), (item) => withoutSharedParameters(item, parameters));
  const kinds = Object.entries(definitions).filter(([, definition]) => isKindOf(definition, gv));
  const roots: JsonObject = Object.fromEntries(kinds);
  const needed = neededDefinitions([paths, roots], definitions, { prefix: definitionPrefix });
  const read = { paths, definitions: { ...roots, ...needed } };
  assertFew(own.length + Object.keys(read.definitions).length);
  assertPaths(read.paths);
  assertSchemas(read.definitions, 'definitions');
  return read;
}

function assertFew(count: number): void {
  if (count > mostMembers)
    throw new Error(`more than ${String(mostMembers)} paths and definitions for one group version`);
}

/** Paths that requests of the group version have, and the one that describes its group. */
export function isOwnPath(path: string, { group, version }: GroupVersion): boolean {
  const base = group === '' ? '/api/' : `/apis/${group}/`;
  return path === base || path === `${base}${version}` || path.startsWith(`${base}${version}/`);
}

export function objectOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Error(`${name} of the OpenAPI document is no object`);
  return value;
}

/** Whether a definition says that it is of a kind of the group version (`x-…-group-version-kind`). */
function isKindOf(definition: JsonValue | undefined, { group, version }: GroupVersion): boolean {
  if (!isObject(definition)) return false;
  return Object.entries(definition).some(
    ([key, kinds]) =>
      isKindExtension(key) &&
      Array.isArray(kinds) &&
      kinds.some((kind) => isObject(kind) && kind['group'] === group && kind['version'] === version),
  );
}

/** Its prefix depends on the naming of the server. */
export function isKindExtension(key: string): boolean {
  return /^x-[a-z]+-group-version-kind$/.test(key);
}

/** Shared parameters are written out, as the merged document has its own. */
function withoutSharedParameters(value: JsonValue, shared: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutSharedParameters(item, shared));
  if (!isObject(value)) return value;
  const reference = value['$ref'];
  if (typeof reference === 'string' && reference.startsWith(parameterPrefix)) {
    const name = reference.slice(parameterPrefix.length);
    const parameter = Object.hasOwn(shared, name) ? shared[name] : undefined;
    if (!isObject(parameter)) throw new Error(`the reference ${reference} leads nowhere`);
    return parameter;
  }
  return mapMembers(value, (member) => withoutSharedParameters(member, shared));
}
