/** What of an object can have an owner: not its identity, nor what the server keeps in its metadata. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
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

/** A shallow copy without the fields that nobody ever owns. It has metadata always, for that is never owned either. */
export function ownable(object: JsonObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const owned = isObject(metadata) ? { ...metadata } : {};
  for (const name of neverOwned) Reflect.deleteProperty(owned, name);
  return { metadata: owned, ...rest };
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
