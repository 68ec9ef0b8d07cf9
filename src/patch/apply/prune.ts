/**
 * Fields that an applier dropped from its configuration (specification, "Server-side apply", rule 7): they go unless
 * somebody else owns them, items of lists and maps with all they hold.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { FieldSet, emptyFieldSet } from './field-set.ts';
import { elementOf } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import { isAtomic, isDeclaredStep, memberSchema, schemaBelow } from './topology.ts';

/**
 * What goes when `last` is given up and `kept` is what all managers own from now on. A struct of which nobody owns
 * anything goes as a whole, with what defaults had filled in.
 */
export function disowned(last: FieldSet, kept: FieldSet, schema: Schema | undefined): FieldSet {
  if (last === kept) return emptyFieldSet;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const element of new Set([...last.members, ...last.children.keys()])) {
    const isStruct = isDeclaredStep(schema, element);
    if (has(last, element, isStruct) && !has(kept, element, isStruct)) {
      members.add(element);
      continue;
    }
    const below = last.children.get(element);
    if (!below) continue;
    const rest = disowned(below, kept.children.get(element) ?? emptyFieldSet, schemaBelow(schema, element));
    if (!rest.isEmpty) children.set(element, rest);
  }
  return new FieldSet(members, children);
}

/** Who owns something in a field of a struct has a claim on the struct. */
function has(set: FieldSet, element: PathElement, isStruct: boolean): boolean {
  return set.members.has(element) || (isStruct && set.children.has(element));
}

/** An object without the given fields; collections that lose everything go too. Does not mutate. */
export function withoutFields(object: JsonObject, set: FieldSet, schema: Schema | undefined): JsonObject {
  if (set.isEmpty) return object;
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const element = fieldElement(name);
    if (value === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    const left = below ? withoutBelow(value, below, memberSchema(schema, name)) : value;
    if (left !== undefined) setOwn(rest, name, left);
  }
  return rest;
}

/** Undefined when nothing is left. */
function withoutBelow(value: JsonValue, set: FieldSet, schema: Schema | undefined): JsonValue | undefined {
  if (isAtomic(value, schema)) return value;
  if (isObject(value)) {
    const rest = withoutFields(value, set, schema);
    return Object.keys(rest).length > 0 || Object.keys(value).length === 0 ? rest : undefined;
  }
  if (!Array.isArray(value) || schema?.type !== 'list') return value;
  const rest = withoutItems(value, set, schema);
  return rest.length > 0 || value.length === 0 ? rest : undefined;
}

function withoutItems(list: JsonArray, set: FieldSet, schema: ListSchema): JsonArray {
  const rest: JsonArray = [];
  for (const item of list) {
    const element = elementOf(item, schema) ?? '';
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    rest.push(below ? (withoutBelow(item, below, schema.items) ?? {}) : item);
  }
  return rest;
}
