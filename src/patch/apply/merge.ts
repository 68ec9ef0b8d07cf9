/**
 * Lays an applied configuration over an object, by schema: what the configuration says wins, the rest stays
 * (specification, "Server-side apply", rule 8). Nothing is removed here.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, deepEqual, getOwn, isObject, setOwn } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import type { ListElements } from './fields-of.ts';
import { elementOf, itemElement, itemsByElement } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import type { View } from './view.ts';
import { viewOf } from './view.ts';

/** A configuration, and the steps that name the items of its lists where these are known already. */
export interface NamedConfiguration {
  readonly object: JsonObject;
  readonly elements: ListElements;
}

/**
 * The merged object. What did not change is shared with `live`, so that a comparison of both skips it; what comes
 * from the configuration is copied. Neither argument is mutated.
 * @throws PatchError `unprocessable` when an item of a keyed list in the configuration has no key
 */
export function mergeConfiguration(
  live: JsonObject,
  { object, elements }: NamedConfiguration,
  schema: Schema | undefined,
): JsonObject {
  return new Merge(elements).members(live, object, viewOf(schema));
}

class Merge {
  private readonly elements: ListElements;

  constructor(elements: ListElements) {
    this.elements = elements;
  }

  members(live: JsonObject, config: JsonObject, view: View): JsonObject {
    let merged: JsonObject | undefined;
    for (const name of Object.keys(config)) {
      const applied = config[name];
      if (applied === undefined) continue;
      const current = getOwn(live, name);
      // Most values are scalars, and as they were.
      if (applied === current) continue;
      const value = this.value(current, applied, view.member(name).view);
      if (value === current) continue;
      merged ??= copyMembers(live);
      setOwn(merged, name, value);
    }
    return merged ?? live;
  }

  private value(current: JsonValue | undefined, applied: JsonValue, view: View): JsonValue {
    if (current !== undefined && !view.isOne(applied)) {
      if (isObject(current) && isObject(applied)) return this.members(current, applied, view);
      if (Array.isArray(current) && Array.isArray(applied) && view.list)
        return this.items(current, applied, view);
    }
    return current !== undefined && deepEqual(current, applied) ? current : deepCopy(applied);
  }

  /** Items keep their places; new ones follow in the order of the configuration. */
  private items(current: JsonArray, applied: JsonArray, view: View): JsonArray {
    const { list: schema, items } = view;
    if (schema === undefined) return deepCopy(applied);
    const names = this.elements.get(applied) ?? applied.map((item) => itemElement(item, schema));
    const merged = isNamedSo(current, names, schema)
      ? applied.map((item, index) => this.value(current[index], item, items))
      : this.rearranged(current, new Map(names.map((name, index) => [name, applied[index]])), view);
    if (merged === undefined) return deepCopy(applied);
    const isSame = merged.length === current.length && merged.every((item, index) => item === current[index]);
    return isSame ? current : merged;
  }

  /** Undefined when an item of the object has no key. */
  private rearranged(
    current: JsonArray,
    wanted: Map<PathElement, JsonValue | undefined>,
    { list: schema, items: view }: View,
  ): JsonArray | undefined {
    const before = schema && itemsByElement(current, schema);
    if (!before) return undefined;
    const merged: JsonArray = [];
    for (const [element, items] of before) {
      const item = wanted.get(element);
      // A key that stands several times in the object stands once after it was applied.
      if (item === undefined || items[0] === undefined) merged.push(...items);
      else merged.push(this.value(items[0], item, view));
      wanted.delete(element);
    }
    for (const item of wanted.values()) if (item !== undefined) merged.push(deepCopy(item));
    return merged;
  }
}

/** True for a list that has the named items and no others, in that order: what is applied again finds it so. */
function isNamedSo(list: JsonArray, names: readonly PathElement[], schema: ListSchema): boolean {
  return (
    list.length === names.length && list.every((item, index) => elementOf(item, schema) === names[index])
  );
}

/** A shallow copy that keeps `__proto__` as data. */
export function copyMembers(object: JsonObject): JsonObject {
  if (!Object.hasOwn(object, '__proto__')) return { ...object };
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) setOwn(copy, name, value);
  return copy;
}
