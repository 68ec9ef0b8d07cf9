/** Defaults of a custom resource's schema: set where a member is missing or a null that means nothing. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject, setOwn } from '../../base/json.ts';
import type { Structural } from './types.ts';
import { isIdleNull, memberOf } from './types.ts';

/** Sets defaults all the way down. Mutates the value. */
export function applyStructuralDefaults(node: Structural, value: JsonValue): void {
  if (!node.holdsDefaults) return;
  if (isObject(value)) defaultMembers(node, value);
  else if (Array.isArray(value) && node.items) defaultItems(node.items, value);
}

function defaultMembers(node: Structural, value: JsonObject): void {
  for (const [name, { defaultValue, nullable }] of node.properties) {
    if (defaultValue === undefined) continue;
    const present = Object.hasOwn(value, name) ? value[name] : undefined;
    if (present === undefined || (present === null && !nullable)) setOwn(value, name, deepCopy(defaultValue));
  }
  for (const key of Object.keys(value)) {
    const schema = memberOf(node, key);
    const member = value[key];
    if (!schema || member === undefined) continue;
    if (isIdleNull(member, schema) && schema.defaultValue !== undefined) {
      setOwn(value, key, deepCopy(schema.defaultValue));
    } else applyStructuralDefaults(schema, member);
  }
}

function defaultItems(items: Structural, list: JsonValue[]): void {
  list.forEach((item, i) => {
    if (isIdleNull(item, items) && items.defaultValue !== undefined) list[i] = deepCopy(items.defaultValue);
    else applyStructuralDefaults(items, item);
  });
}
