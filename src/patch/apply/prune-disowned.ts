/**
 * Fields that an applier dropped from its configuration (KEP-555): they are removed unless another manager owns them,
 * items of lists and maps with all they hold.
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
 * What goes when `last` is given up and `retained` is what all managers own from now on. A struct without any owned
 * field is removed as a whole, with what defaults had filled in.
 */
export function disowned(last: FieldSet, retained: FieldSet, schema: Schema | undefined): FieldSet {
  if (last === retained) return emptyFieldSet;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const element of new Set([...last.members, ...last.children.keys()])) {
    const isStruct = isDeclaredStep(schema, element);
    if (has(last, element, isStruct) && !has(retained, element, isStruct)) {
      members.add(element);
      continue;
    }
    const below = last.children.get(element);
    if (!below) continue;
    const rest = disowned(
      below,
      retained.children.get(element) ?? emptyFieldSet,
      schemaBelow(schema, element),
    );
    if (!rest.isEmpty) children.set(element, rest);
  }
  return new FieldSet(members, children);
}

/** A manager of a field inside a struct also holds the struct. */
function has(set: FieldSet, element: PathElement, isStruct: boolean): boolean {
  return set.members.has(element) || (isStruct && set.children.has(element));
}

/** What goes, and what is owned from now on: a collection that loses everything stays, empty, for its owner. */
export interface Removal {
  readonly gone: FieldSet;
  readonly retained: FieldSet;
}

/** An object without the fields that go. Collections that lose everything go too, unless owned. Does not mutate. */
export function withoutFields(
  object: JsonObject,
  { gone, retained }: Removal,
  schema: Schema | undefined,
): JsonObject {
  if (gone.isEmpty) return object;
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const element = fieldElement(name);
    if (value === undefined || gone.members.has(element)) continue;
    const left = withoutBelow(value, step({ gone, retained }, element), memberSchema(schema, name));
    if (!isEmptied(left, value) || retained.members.has(element)) setOwn(rest, name, left);
  }
  return rest;
}

function step({ gone, retained }: Removal, element: PathElement): Removal {
  return {
    gone: gone.children.get(element) ?? emptyFieldSet,
    retained: retained.children.get(element) ?? emptyFieldSet,
  };
}

function withoutBelow(value: JsonValue, removal: Removal, schema: Schema | undefined): JsonValue {
  if (removal.gone.isEmpty || isAtomic(value, schema)) return value;
  if (isObject(value)) return withoutFields(value, removal, schema);
  return Array.isArray(value) && schema?.type === 'list' ? withoutItems(value, removal, schema) : value;
}

function withoutItems(list: JsonArray, removal: Removal, schema: ListSchema): JsonArray {
  const rest: JsonArray = [];
  for (const item of list) {
    const element = elementOf(item, schema) ?? '';
    if (!removal.gone.members.has(element))
      rest.push(withoutBelow(item, step(removal, element), schema.items));
  }
  return rest;
}

function isEmptied(value: JsonValue, before: JsonValue): boolean {
  return value !== before && isEmptyCollection(value) && !isEmptyCollection(before);
}

function isEmptyCollection(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
