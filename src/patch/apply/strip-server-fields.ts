/** What of an object can have an owner: not its identity, nor what the server keeps in its metadata. */
import type { JsonObject } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { fieldSetOf } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const serverMetadata = [
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

const serverMetadataNames: ReadonlySet<string> = new Set(serverMetadata);
const typeMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

/**
 * A shallow copy without the fields that no manager ever owns. It has metadata always, for that is never owned either.
 */
export function stripServerFields(object: JsonObject): JsonObject {
  const owned = membersBut(object, typeMembers);
  const { metadata } = object;
  owned['metadata'] = isObject(metadata) ? membersBut(metadata, serverMetadataNames) : {};
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
export function stripServerFieldsOfPart(object: JsonObject): JsonObject {
  const { metadata = {}, ...rest } = stripServerFields(object);
  return isObject(metadata) && Object.keys(metadata).length > 0 ? { metadata, ...rest } : rest;
}

/** The paths of those fields; a prune must not take them. */
export const serverFields = fieldSetOf([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  ...serverMetadata.map((name) => [fieldElement('metadata'), fieldElement(name)]),
]);
