/** What of an object can have an owner: not its identity, nor what the server keeps in its metadata. */
import type { JsonObject } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { fieldSetOf } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const neverOwned = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;

const neverOwnedMembers: ReadonlySet<string> = new Set(neverOwned);
const typeMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

/** A shallow copy without the fields that nobody ever owns. It has metadata always, for that is never owned either. */
export function ownable(object: JsonObject): JsonObject {
  const owned = membersBut(object, typeMembers);
  const { metadata } = object;
  owned['metadata'] = isObject(metadata) ? membersBut(metadata, neverOwnedMembers) : {};
  return owned;
}

/** Members that were copied and deleted again would cost five times as much: such objects become hash tables. */
function membersBut(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined && !names.has(name)) setOwn(rest, name, value);
  }
  return rest;
}

/** The same; metadata that has nothing to own is left out. */
export function ownablePart(object: JsonObject): JsonObject {
  const { metadata = {}, ...rest } = ownable(object);
  return isObject(metadata) && Object.keys(metadata).length > 0 ? { metadata, ...rest } : rest;
}

/** The paths of those fields; a prune must not take them. */
export const neverOwnedFields = fieldSetOf([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  ...neverOwned.map((name) => [fieldElement('metadata'), fieldElement(name)]),
]);
