/** Lists that are sets or maps hold no value or key twice: apply could not distinguish such items. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, maxFieldErrors } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Structural } from './types.ts';
import { memberOf } from './types.ts';

/** Errors in sets and maps, all the way down, until enough are found. */
export function validateLists(node: Structural, value: JsonValue, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  checkLists(node, value, path, errors);
  return errors;
}

function checkLists(node: Structural, value: JsonValue, path: FieldPath, errors: FieldError[]): void {
  if (errors.length >= maxFieldErrors) return;
  if (isObject(value)) checkMembers(node, value, path, errors);
  if (!Array.isArray(value)) return;
  if (node.listType !== 'atomic') checkRepetition(node, value, path, errors);
  const { items } = node;
  if (items && holdsLists(items)) value.forEach((item, i) => checkLists(items, item, path.index(i), errors));
}

function checkMembers(node: Structural, object: JsonObject, path: FieldPath, errors: FieldError[]): void {
  for (const key of Object.keys(object)) {
    const schema = memberOf(node, key);
    const member = object[key];
    if (schema && member !== undefined) checkLists(schema, member, path.child(key), errors);
  }
}

function holdsLists({ type }: Structural): boolean {
  return type === undefined || type === 'array' || type === 'object';
}

function checkRepetition(node: Structural, list: JsonArray, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (let i = 0; i < list.length && errors.length < maxFieldErrors; i += 1) {
    const item = list[i] ?? null;
    const key = node.listType === 'set' ? item : keyOf(node, item);
    const text = canonicalJson(key);
    if (seen.has(text)) errors.push(duplicate(path.index(i), key));
    else seen.add(text);
  }
}

function keyOf({ listMapKeys }: Structural, item: JsonValue): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of listMapKeys) keys[name] = getOwn(item, name) ?? null;
  return keys;
}
