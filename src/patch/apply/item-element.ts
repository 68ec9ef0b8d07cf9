/** The steps that name the items of sets and keyed lists. */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { PatchError } from '../patch-error.ts';
import type { PathElement } from './path-element.ts';
import { keyElement, valueElement } from './path-element.ts';

/**
 * The step that names an item of a set or keyed list. A key field that the item leaves out has its default.
 * @throws PatchError `unprocessable` when the item has no key
 */
export function itemElement(item: JsonValue, schema: ListSchema): PathElement {
  if (schema.listType === 'set') return valueElement(item);
  if (!isObject(item)) throw new PatchError('unprocessable', 'an item of a keyed list must be an object');
  const keys = keysOf(item, schema);
  if (keys) return keyElement(keys);
  const names = schema.listMapKeys.join(', ');
  throw new PatchError('unprocessable', `an item of a list leaves out its key fields (${names})`);
}

/** The items of a list by their steps; several where a list breaks its own rule. Undefined: an item has no key. */
export function itemsByElement(list: JsonArray, schema: ListSchema): Map<PathElement, JsonArray> | undefined {
  const items = new Map<PathElement, JsonArray>();
  for (const item of list) {
    const element = elementOf(item, schema);
    if (element === undefined) return undefined;
    const same = items.get(element);
    if (same) same.push(item);
    else items.set(element, [item]);
  }
  return items;
}

/** As `itemElement`; undefined when the item has no key. */
export function elementOf(item: JsonValue, schema: ListSchema): PathElement | undefined {
  if (schema.listType === 'set') return valueElement(item);
  const keys = isObject(item) ? keysOf(item, schema) : undefined;
  return keys && keyElement(keys);
}

/** Undefined when the item has none of its key fields. A key field that it leaves out has its default. */
function keysOf(item: JsonObject, schema: ListSchema): JsonObject | undefined {
  const keys: JsonObject = {};
  let found = false;
  for (const name of schema.listMapKeys) {
    const value = getOwn(item, name) ?? defaultOf(schema.items, name);
    if (value === undefined) continue;
    keys[name] = value;
    found = true;
  }
  return found ? keys : undefined;
}

function defaultOf(items: Schema, name: string): JsonValue | undefined {
  const field = items.type === 'struct' ? items.fields.get(name) : undefined;
  return field?.defaultCondition === '' ? field.defaultValue : undefined;
}
