/**
 * The fields that a value has, by its schema: what a manager owns who wrote the whole value. Scalars, atomic values
 * and empty or null collections are owned as one; items of keyed lists, sets and maps are owned beside what they hold.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { PatchError } from '../patch-error.ts';
import type { FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { fieldElement, keyElement, valueElement } from './path-element.ts';

/**
 * The field set of an object.
 * @throws PatchError `unprocessable` when an item of a keyed list has no key, or two items have the same one
 */
export function fieldsOf(object: JsonObject, schema: Schema): FieldSet {
  const builder = new FieldSetBuilder();
  addMembers(builder, object, schema);
  return builder.build();
}

/** The schema of a member; undefined where anything goes. */
export function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'map') return schema.values;
  return schema?.type === 'struct' ? schema.fields.get(name)?.schema : undefined;
}

/** True where apply treats a value as one: scalars, and lists, structs and maps that say so. */
export function isAtomic(value: JsonValue, schema: Schema | undefined): boolean {
  if (Array.isArray(value)) return schema?.type !== 'list' || schema.listType === 'atomic';
  if (!isObject(value)) return true;
  return (schema?.type === 'struct' || schema?.type === 'map') && schema.mapType === 'atomic';
}

function addMembers(builder: FieldSetBuilder, object: JsonObject, schema: Schema | undefined): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const element = fieldElement(name);
    // Keys of maps are data, so each is owned; fields of structs are owned by what they hold.
    const isDeclared = schema?.type === 'struct' && schema.fields.has(name);
    if (!isDeclared || isWhole(value, memberSchema(schema, name))) builder.addMember(element);
    addBelow(builder.child(element), value, memberSchema(schema, name));
  }
}

function isWhole(value: JsonValue, schema: Schema | undefined): boolean {
  if (isAtomic(value, schema)) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function addBelow(builder: FieldSetBuilder, value: JsonValue, schema: Schema | undefined): void {
  if (isAtomic(value, schema)) return;
  if (isObject(value)) addMembers(builder, value, schema);
  else if (Array.isArray(value) && schema?.type === 'list') addItems(builder, value, schema);
}

function addItems(builder: FieldSetBuilder, list: JsonArray, schema: ListSchema): void {
  const seen = new Set<PathElement>();
  for (const item of list) {
    const element = itemElement(item, schema);
    if (seen.has(element))
      throw new PatchError('unprocessable', `two items of a list have the same key ${element.slice(2)}`);
    seen.add(element);
    builder.addMember(element);
    addBelow(builder.child(element), item, schema.items);
  }
}

/**
 * The step that names an item of a set or keyed list. A key field that the item leaves out has its default.
 * @throws PatchError `unprocessable` when the item has no key
 */
export function itemElement(item: JsonValue, schema: ListSchema): PathElement {
  if (schema.listType === 'set') return valueElement(item);
  if (!isObject(item)) throw new PatchError('unprocessable', 'an item of a keyed list must be an object');
  const keys: JsonObject = {};
  for (const name of schema.listMapKeys) {
    const value = getOwn(item, name) ?? defaultOf(schema.items, name);
    if (value !== undefined) keys[name] = value;
  }
  if (Object.keys(keys).length > 0) return keyElement(keys);
  const names = schema.listMapKeys.join(', ');
  throw new PatchError('unprocessable', `an item of a list leaves out its key fields (${names})`);
}

function defaultOf(items: Schema, name: string): JsonValue | undefined {
  const field = items.type === 'struct' ? items.fields.get(name) : undefined;
  return field?.defaultCondition === '' ? field.defaultValue : undefined;
}
