/** Lists that are sets or maps hold no value or key twice: apply could not distinguish such items. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, maxFieldErrors } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Structural } from './types.ts';
import { memberOf } from './types.ts';

/** Faults of sets and maps, all the way down, until enough are found. */
export function validateLists(node: Structural, value: JsonValue, path: FieldPath): FieldError[] {
  const faults: FieldError[] = [];
  checkLists(node, value, path, faults);
  return faults;
}

function checkLists(node: Structural, value: JsonValue, path: FieldPath, faults: FieldError[]): void {
  if (faults.length >= maxFieldErrors) return;
  if (isObject(value)) checkMembers(node, value, path, faults);
  if (!Array.isArray(value)) return;
  if (node.listType !== 'atomic') checkRepetition(node, value, path, faults);
  const { items } = node;
  if (items && holdsLists(items)) value.forEach((item, i) => checkLists(items, item, path.index(i), faults));
}

function checkMembers(node: Structural, object: JsonObject, path: FieldPath, faults: FieldError[]): void {
  for (const key of Object.keys(object)) {
    const schema = memberOf(node, key);
    const member = object[key];
    if (schema && member !== undefined) checkLists(schema, member, path.child(key), faults);
  }
}

function holdsLists({ type }: Structural): boolean {
  return type === undefined || type === 'array' || type === 'object';
}

function checkRepetition(node: Structural, list: JsonArray, path: FieldPath, faults: FieldError[]): void {
  const seen = new Set<string>();
  for (let i = 0; i < list.length && faults.length < maxFieldErrors; i += 1) {
    const item = list[i] ?? null;
    const key = node.listType === 'set' ? item : keyOf(node, item);
    const text = canonicalJson(key);
    if (seen.has(text)) faults.push(duplicate(path.index(i), key));
    else seen.add(text);
  }
}

function keyOf({ listMapKeys }: Structural, item: JsonValue): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of listMapKeys) keys[name] = getOwn(item, name) ?? null;
  return keys;
}
