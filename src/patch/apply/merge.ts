/**
 * Lays an applied configuration over an object, by schema: what the configuration says wins, the rest stays
 * (specification, "Server-side apply", rule 8). Nothing is removed here.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, deepEqual, getOwn, isObject, setOwn } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { itemElement, itemsByElement } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import { isAtomic, memberSchema } from './topology.ts';

/**
 * The merged object. What did not change is shared with `live`, so that a comparison of both skips it; what comes
 * from the configuration is copied. Neither argument is mutated.
 * @throws PatchError `unprocessable` when an item of a keyed list in the configuration has no key
 */
export function mergeConfiguration(
  live: JsonObject,
  config: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  let merged: JsonObject | undefined;
  for (const name of Object.keys(config)) {
    const applied = config[name];
    if (applied === undefined) continue;
    const current = getOwn(live, name);
    const value = mergeValue(current, applied, memberSchema(schema, name));
    if (value === current) continue;
    merged ??= copyMembers(live);
    setOwn(merged, name, value);
  }
  return merged ?? live;
}

/** A shallow copy that keeps `__proto__` as data. */
export function copyMembers(object: JsonObject): JsonObject {
  if (!Object.hasOwn(object, '__proto__')) return { ...object };
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) setOwn(copy, name, value);
  return copy;
}

function mergeValue(
  current: JsonValue | undefined,
  applied: JsonValue,
  schema: Schema | undefined,
): JsonValue {
  if (current !== undefined && !isAtomic(applied, schema)) {
    if (isObject(current) && isObject(applied)) return mergeConfiguration(current, applied, schema);
    if (Array.isArray(current) && Array.isArray(applied) && schema?.type === 'list')
      return mergeItems(current, applied, schema);
  }
  return current !== undefined && deepEqual(current, applied) ? current : deepCopy(applied);
}

/** Items keep their places; new ones follow in the order of the configuration. */
function mergeItems(current: JsonArray, applied: JsonArray, schema: ListSchema): JsonArray {
  const before = itemsByElement(current, schema);
  if (!before) return deepCopy(applied);
  const wanted = new Map<PathElement, JsonValue>(applied.map((item) => [itemElement(item, schema), item]));
  const merged: JsonArray = [];
  for (const [element, items] of before) {
    const item = wanted.get(element);
    // A key that stands several times in the object stands once after it was applied.
    if (item === undefined || items[0] === undefined) merged.push(...items);
    else merged.push(mergeValue(items[0], item, schema.items));
    wanted.delete(element);
  }
  for (const item of wanted.values()) merged.push(deepCopy(item));
  const isSame = merged.length === current.length && merged.every((item, index) => item === current[index]);
  return isSame ? current : merged;
}
