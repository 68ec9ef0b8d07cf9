/**
 * What a write adds to an object that has next to nothing, written at once as `fieldsV1`: the fields of the creating
 * manager. No sets are made in between; of a pod of 5 KB that takes a third of the time.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import type { FieldsStep } from './fields-step.ts';
import { fieldsNode } from './fields-step.ts';
import { elementOf } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import type { View } from './schema-view.ts';

/**
 * The fields that `after` adds and changes, as `compareObjects` returns them: an empty object when there are none.
 * Undefined where the write does more: it takes something away, or changes a list that has items already. Never throws.
 */
export function additions(before: JsonObject, after: JsonObject, view: View): JsonObject | undefined {
  const steps = addedSteps(before, after, view);
  return steps && fieldsNode(steps, false);
}

function addedSteps(before: JsonObject, after: JsonObject, view: View): FieldsStep[] | undefined {
  if (isAnythingGone(before, after)) return undefined;
  const steps: FieldsStep[] = [];
  for (const name of Object.keys(after)) {
    const is = after[name];
    const was = getOwn(before, name);
    if (is === undefined || is === was) continue;
    const { element, rank, view: below } = view.member(name);
    const node = was === undefined ? wholeNode(is, below) : changedNode(was, is, below);
    if (node === undefined) return undefined;
    if (node !== unchanged) steps.push({ element, rank, node });
  }
  return steps;
}

function isAnythingGone(before: JsonObject, after: JsonObject): boolean {
  return Object.keys(before).some((name) => before[name] !== undefined && getOwn(after, name) === undefined);
}

/** Stands for no node at all. */
const unchanged: JsonObject = Object.freeze({});

function changedNode(was: JsonValue, is: JsonValue, view: View): JsonObject | undefined {
  if (view.isOne(is)) return changedValue(was, is, view);
  if (Array.isArray(is)) return changedList(was, is, view);
  if (!isObject(is)) return undefined;
  // Null stands for the empty collection that the other side fills; if it fills nothing, null was a value.
  if (was === null && Object.keys(is).length === 0) return {};
  if (was !== null && !isObject(was)) return undefined;
  const steps = addedSteps(was ?? {}, is, view);
  return steps?.length === 0 ? unchanged : steps && fieldsNode(steps, false);
}

/** A collection that becomes null, or something else, has been emptied. */
function changedValue(was: JsonValue, is: JsonValue, view: View): JsonObject | undefined {
  if (!view.isOne(was)) return undefined;
  return deepEqual(was, is) ? unchanged : {};
}

function changedList(was: JsonValue, is: JsonArray, view: View): JsonObject | undefined {
  if (deepEqual(was, is)) return unchanged;
  const isFilled = was === null || (Array.isArray(was) && was.length === 0);
  return isFilled ? fieldsNode(itemSteps(is, view), false) : undefined;
}

/** A value with everything in it. */
function wholeNode(value: JsonValue, view: View): JsonObject {
  if (view.isOne(value)) return {};
  if (Array.isArray(value)) return fieldsNode(itemSteps(value, view), true);
  return isObject(value) ? fieldsNode(wholeSteps(value, view), true) : {};
}

function wholeSteps(object: JsonObject, view: View): FieldsStep[] {
  const steps: FieldsStep[] = [];
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const { element, rank, view: below } = view.member(name);
    steps.push({ element, rank, node: wholeNode(value, below) });
  }
  return steps;
}

/** None when an item has no key: the list is owned as one. Of several items with one key the first counts. */
function itemSteps(list: JsonArray, { list: schema, items }: View): FieldsStep[] {
  if (schema === undefined) return [];
  const elements: PathElement[] = [];
  for (const item of list) {
    const element = elementOf(item, schema);
    if (element === undefined) return [];
    elements.push(element);
  }
  // Most lists have one item.
  const seen = list.length > 1 ? new Set<PathElement>() : undefined;
  const steps: FieldsStep[] = [];
  for (let i = 0; i < list.length; i += 1) {
    const element = elements[i] ?? '';
    if (seen?.has(element)) continue;
    seen?.add(element);
    steps.push({ element, rank: -1, node: wholeNode(list[i] ?? null, items) });
  }
  return steps;
}
