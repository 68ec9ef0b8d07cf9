/** Items of a map list before an update, found by the keys that tell items apart. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';

/** Gives the old item of an item; undefined when there was none. @param names of the keys */
export function itemsByKeys(
  names: readonly string[],
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (!Array.isArray(old) || old.length === 0) return () => undefined;
  const items = new Map<string, JsonValue>();
  for (const item of old) {
    const key = keyOf(item, names);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, names);
    return key === undefined ? undefined : items.get(key);
  };
}

function keyOf(item: JsonValue, names: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const keys: JsonObject = {};
  for (const name of names) keys[name] = getOwn(item, name) ?? null;
  return canonicalJson(keys);
}
