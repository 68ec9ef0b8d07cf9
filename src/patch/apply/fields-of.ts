/**
 * The fields that a configuration has, by its schema, in JSON form: what the manager owns who applies it. Scalars,
 * atomic values and empty or null collections are owned as one; items of keyed lists, sets and maps are owned beside
 * what they hold.
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
import type { View } from './view.ts';
import { viewOf } from './view.ts';

/** The steps that name the items of lists whose items are owned by themselves, in their order. */
export type ListElements = Map<JsonArray, readonly PathElement[]>;

/**
 * The `fieldsV1` of an object, steps in their order; what names the items of its lists is put into `elements`.
 * @throws PatchError `unprocessable` when an item of a keyed list has no key, or two items have the same one
 */
export function fieldsOf(object: JsonObject, schema: Schema, elements: ListElements = new Map()): JsonObject {
  return fieldsNode(memberSteps(object, viewOf(schema), elements), false);
}

function memberSteps(object: JsonObject, view: View, elements: ListElements): FieldsStep[] {
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
    const held = stepsBelow(value, below, elements);
    if (held.length > 0 || !isDeclared) steps.push({ element, rank, node: fieldsNode(held, !isDeclared) });
  }
  return steps;
}

function isWhole(value: JsonValue, view: View): boolean {
  if (view.isOne(value)) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** What a value holds that is not owned as one. */
function stepsBelow(value: JsonValue, view: View, elements: ListElements): FieldsStep[] {
  if (Array.isArray(value)) return view.list ? itemSteps(value, view.list, { view, elements }) : [];
  return isObject(value) ? memberSteps(value, view, elements) : [];
}

interface Place {
  readonly view: View;
  readonly elements: ListElements;
}

function itemSteps(list: JsonArray, schema: ListSchema, { view: { items }, elements }: Place): FieldsStep[] {
  const names: PathElement[] = [];
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
    names.push(element);
    const node = items.isOne(item) ? {} : fieldsNode(stepsBelow(item, items, elements), true);
    steps.push({ element, rank: -1, node });
  }
  elements.set(list, names);
  return steps;
}
