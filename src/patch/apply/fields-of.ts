/**
 * The fields that a configuration has, by its schema, in JSON form: what the applying manager owns. Scalars, atomic
 * values and empty or null collections are owned as one; items of keyed lists, sets and maps are owned beside what they
 * hold.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import { PatchError } from '../patch-error.ts';
import type { FieldsStep } from './fields-step.ts';
import { fieldsNode } from './fields-step.ts';
import { itemElement } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import type { View } from './schema-view.ts';
import { viewOf } from './schema-view.ts';

/**
 * The `fieldsV1` of an object, steps in their order.
 * @throws PatchError `unprocessable` when an item of a keyed list has no key, or two items have the same one
 */
export function fieldsOf(object: JsonObject, schema: Schema): JsonObject {
  return fieldsNode(memberSteps(object, viewOf(schema)), false);
}

function memberSteps(object: JsonObject, view: View): FieldsStep[] {
  const steps: FieldsStep[] = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const { element, rank, view: below, isDeclared } = view.member(name);
    if (isWhole(value, below)) {
      steps.push({ element, rank, node: {} });
      continue;
    }
    // Keys of maps are data, so each is owned; fields of structs are owned by what they hold.
    const held = stepsBelow(value, below);
    if (held.length > 0 || !isDeclared) steps.push({ element, rank, node: fieldsNode(held, !isDeclared) });
  }
  return steps;
}

/** True for a value that is owned as one: by its schema, or because nothing is in it. */
export function isWhole(value: JsonValue, view: View): boolean {
  if (view.isOne(value)) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** What a value holds that is not owned as one. */
function stepsBelow(value: JsonValue, view: View): FieldsStep[] {
  if (Array.isArray(value)) return view.list ? itemSteps(value, view.list, view.items) : [];
  return isObject(value) ? memberSteps(value, view) : [];
}

function itemSteps(list: JsonArray, schema: ListSchema, view: View): FieldsStep[] {
  // Most lists have one item.
  const seen = list.length > 1 ? new Set<PathElement>() : undefined;
  const steps: FieldsStep[] = [];
  for (const item of list) {
    const element = itemElement(item, schema);
    if (seen?.has(element))
      throw new PatchError(
        'unprocessable',
        `two items of a list have the same key ${shortText(element.slice(2))}`,
      );
    seen?.add(element);
    const node = view.isOne(item) ? {} : fieldsNode(stepsBelow(item, view), true);
    steps.push({ element, rank: -1, node });
  }
  return steps;
}
