/**
 * The fields that a value has, by its schema: what a manager owns who wrote the whole value. Scalars, atomic values
 * and empty or null collections are owned as one; items of keyed lists, sets and maps are owned beside what they hold.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { PatchError } from '../patch-error.ts';
import type { FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import { itemElement } from './item-element.ts';
import { fieldElement } from './path-element.ts';
import type { PathElement } from './path-element.ts';
import { isAtomic, isDeclared, memberSchema } from './topology.ts';

/**
 * The field set of an object.
 * @throws PatchError `unprocessable` when an item of a keyed list has no key, or two items have the same one
 */
export function fieldsOf(object: JsonObject, schema: Schema): FieldSet {
  const builder = new FieldSetBuilder();
  addMembers(builder, object, schema);
  return builder.build();
}

function addMembers(builder: FieldSetBuilder, object: JsonObject, schema: Schema | undefined): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const element = fieldElement(name);
    // Keys of maps are data, so each is owned; fields of structs are owned by what they hold.
    const below = memberSchema(schema, name);
    if (!isDeclared(schema, name) || isWhole(value, below)) builder.addMember(element);
    // Most values are leaves: nothing is made for what is below them.
    if (!isAtomic(value, below)) addBelow(builder.child(element), value, below);
  }
}

function isWhole(value: JsonValue, schema: Schema | undefined): boolean {
  if (isAtomic(value, schema)) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** What a value holds that is not atomic. */
function addBelow(builder: FieldSetBuilder, value: JsonValue, schema: Schema | undefined): void {
  if (isObject(value)) addMembers(builder, value, schema);
  else if (Array.isArray(value) && schema?.type === 'list') addItems(builder, value, schema);
}

function addItems(builder: FieldSetBuilder, list: JsonArray, schema: ListSchema): void {
  const seen = new Set<PathElement>();
  for (const item of list) {
    const element = itemElement(item, schema);
    if (seen.has(element))
      throw new PatchError(
        'unprocessable',
        `two items of a list have the same key ${shortText(element.slice(2))}`,
      );
    seen.add(element);
    builder.addMember(element);
    if (!isAtomic(item, schema.items)) addBelow(builder.child(element), item, schema.items);
  }
}
