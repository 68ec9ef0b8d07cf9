/**
 * Lays an applied configuration over an object, by schema: what the configuration says wins, the rest stays (KEP-555,
 * merge). Nothing is removed here.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, deepEqual, getOwn, isObject, setOwn } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { haveSameElement, itemElement, itemsByElement } from './item-element.ts';
import type { View } from './schema-view.ts';
import { viewOf } from './schema-view.ts';

/**
 * The merged object. What did not change is shared with `live`, so that a comparison of both skips it; what comes
 * from the configuration is copied. Neither argument is mutated.
 * @throws PatchError `unprocessable` when an item of a keyed list in the configuration has no key
 */
export function mergeConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  return mergedMembers(live, configuration, viewOf(schema));
}

function mergedMembers(live: JsonObject, config: JsonObject, view: View): JsonObject {
  let merged: JsonObject | undefined;
  for (const name of Object.keys(config)) {
    const applied = config[name];
    if (applied === undefined) continue;
    const current = getOwn(live, name);
    // Most values are scalars, and as they were.
    if (applied === current) continue;
    const value = mergedValue(current, applied, view.member(name).view);
    if (value === current) continue;
    merged ??= copyMembers(live);
    setOwn(merged, name, value);
  }
  return merged ?? live;
}

function mergedValue(current: JsonValue | undefined, applied: JsonValue, view: View): JsonValue {
  if (current !== undefined && !view.isOne(applied)) {
    if (isObject(current) && isObject(applied)) return mergedMembers(current, applied, view);
    if (Array.isArray(current) && Array.isArray(applied) && view.list)
      return mergedItems(current, applied, view);
  }
  return current !== undefined && deepEqual(current, applied) ? current : deepCopy(applied);
}

/** Items keep their places; new ones follow in the order of the configuration. */
function mergedItems(current: JsonArray, applied: JsonArray, view: View): JsonArray {
  const { list: schema, items } = view;
  if (schema === undefined) return deepCopy(applied);
  const merged = isNamedAlike(current, applied, schema)
    ? applied.map((item, index) => mergedValue(current[index], item, items))
    : rearranged(current, applied, view);
  if (merged === undefined) return deepCopy(applied);
  const isSame = merged.length === current.length && merged.every((item, index) => item === current[index]);
  return isSame ? current : merged;
}

/** True for lists of the same items in the same order: what is applied again finds it so. */
function isNamedAlike(list: JsonArray, other: JsonArray, schema: ListSchema): boolean {
  return (
    list.length === other.length &&
    list.every((item, index) => haveSameElement(item, other[index] ?? null, schema))
  );
}

/** Undefined when an item of the object has no key. */
function rearranged(
  current: JsonArray,
  applied: JsonArray,
  { list: schema, items: view }: View,
): JsonArray | undefined {
  if (schema === undefined) return undefined;
  const wanted = new Map(applied.map((item) => [itemElement(item, schema), item]));
  const before = itemsByElement(current, schema);
  if (!before) return undefined;
  const merged: JsonArray = [];
  for (const [element, items] of before) {
    const item = wanted.get(element);
    // A key that stands several times in the object stands once after it was applied.
    if (item === undefined || items[0] === undefined) merged.push(...items);
    else merged.push(mergedValue(items[0], item, view));
    wanted.delete(element);
  }
  for (const item of wanted.values()) merged.push(deepCopy(item));
  return merged;
}

/** A shallow copy that keeps `__proto__` as data. */
export function copyMembers(object: JsonObject): JsonObject {
  if (!Object.hasOwn(object, '__proto__')) return { ...object };
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) setOwn(copy, name, value);
  return copy;
}
