/** Lists that are sets or maps hold no value or key twice: apply could not tell such items apart. */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Structural } from './types.ts';
import { memberOf } from './types.ts';

/** Faults of sets and maps, all the way down. */
export function validateLists(node: Structural, value: JsonValue, path: FieldPath): FieldError[] {
  if (isObject(value)) {
    return Object.keys(value).flatMap((key) => {
      const schema = memberOf(node, key);
      const member = value[key];
      return schema && member !== undefined ? validateLists(schema, member, path.child(key)) : [];
    });
  }
  const { items } = node;
  if (!Array.isArray(value)) return [];
  const below = items ? value.flatMap((item, i) => validateLists(items, item, path.index(i))) : [];
  return [...repeatedItems(node, value, path), ...below];
}

function repeatedItems(node: Structural, list: JsonArray, path: FieldPath): FieldError[] {
  if (node.listType === 'atomic') return [];
  const seen = new Set<string>();
  return list.flatMap((item, i) => {
    const key = node.listType === 'set' ? item : keyOf(node, item);
    const text = canonical(key);
    if (seen.has(text)) return [duplicate(path.index(i), key)];
    seen.add(text);
    return [];
  });
}

function keyOf({ listMapKeys }: Structural, item: JsonValue): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of listMapKeys) keys[name] = getOwn(item, name) ?? null;
  return keys;
}

/** Texts of equal values are equal, whatever the order of their members. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}
