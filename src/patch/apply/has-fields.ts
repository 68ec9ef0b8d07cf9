/**
 * Whether an object has exactly the fields of a set in its JSON form (`fieldsV1`), checked without building the
 * object's own set: repeated applies of the same fields need none. For a pod of 2 KB it takes 16 µs instead of 30.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import type { Schema } from '../../schema/types.ts';
import { self } from './fields-step.ts';
import { elementOf } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import type { View } from './schema-view.ts';
import { viewOf } from './schema-view.ts';

/**
 * True only where the set is what `fieldsOf` gives for the object, in whatever order. False says nothing: where a list
 * breaks its rules, or a struct has nothing in it that could be owned, the check stops. Never throws.
 */
export function hasFields(object: JsonObject, schema: Schema, fieldsV1: JsonObject): boolean {
  return haveMembers(object, viewOf(schema), { node: fieldsV1, isMember: false });
}

/** A node of the set; `isMember`: its own path must be in the set, too. */
interface Expected {
  /** An array or a raw number has none of the steps that are looked for. */
  readonly node: JsonObject;
  readonly isMember: boolean;
}

function haveMembers(object: JsonObject, view: View, { node, isMember }: Expected): boolean {
  let count = 0;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const { element, view: below, isDeclared } = view.member(name);
    if (!isStep(node[element], value, below, !isDeclared)) return false;
    count += 1;
  }
  return hasSteps(node, count, isMember);
}

function haveItems(list: JsonArray, { list: schema, items }: View, { node, isMember }: Expected): boolean {
  if (schema === undefined) return false;
  // Most lists have one item.
  const seen = list.length > 1 ? new Set<PathElement>() : undefined;
  for (const item of list) {
    const element = elementOf(item, schema);
    if (element === undefined || seen?.has(element)) return false;
    seen?.add(element);
    if (!isStep(node[element], item, items, true)) return false;
  }
  return hasSteps(node, list.length, isMember);
}

/** True for the node of a value. No step is inherited: each begins with its kind. */
function isStep(node: JsonValue | undefined, value: JsonValue, view: View, isMember: boolean): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const fields = node as JsonObject;
  if (typeof value !== 'object' || value === null) return isEmpty(fields);
  if (Array.isArray(value)) {
    if (view.list === undefined || value.length === 0) return isEmpty(fields);
    return haveItems(value, view, { node: fields, isMember });
  }
  if (view.isOne(value) || Object.keys(value).length === 0) return isEmpty(fields);
  return haveMembers(value as JsonObject, view, { node: fields, isMember });
}

/** True for a node with so many steps, at least one, all of which were found. */
function hasSteps(node: JsonObject, count: number, isMember: boolean): boolean {
  if (count === 0 || Object.keys(node).length !== count + Number(isMember)) return false;
  if (!isMember) return true;
  const own = node[self];
  return typeof own === 'object' && own !== null && isEmpty(own as JsonObject);
}

function isEmpty(node: JsonObject): boolean {
  return Object.keys(node).length === 0 && !Array.isArray(node);
}
