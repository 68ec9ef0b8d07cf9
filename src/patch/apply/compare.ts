/**
 * What a write changed, as field sets. A value that appears or goes counts with everything in it and around it
 * (the container too); otherwise what differs counts at the deepest level that is owned by itself.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import type { ListSchema, Schema } from '../../schema/types.ts';
import type { FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import { itemsByElement } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import { fieldElement } from './path-element.ts';
import { isAtomic, memberSchema } from './topology.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
  /** Added and modified. */
  readonly changed: FieldSet;
  /** Of these the values themselves: a collection that came into being only because something is in it contradicts nobody. */
  readonly values: FieldSet;
  readonly isSame: boolean;
}

/** Compares two objects of one schema. Never throws: lists that break their own rules are compared as one. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: Schema): Comparison {
  const walk = new ComparisonWalk();
  walk.members(before, after, schema);
  const [added, modified, removed] = [walk.added.build(), walk.modified.build(), walk.removed.build()];
  const changed = added.union(modified);
  let values: FieldSet | undefined;
  return {
    ...{ added, modified, removed, changed, isSame: changed.isEmpty && removed.isEmpty },
    /** Made when it is asked for: where nobody else owns anything, nobody asks. */
    get values() {
      return (values ??= added.leaves().union(modified));
    },
  };
}

interface Pair<T = JsonValue> {
  readonly was: T;
  readonly is: T;
}

class ComparisonWalk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  /** The way to the current value. */
  private readonly steps: PathElement[] = [];

  members(before: JsonObject, after: JsonObject, schema: Schema | undefined): void {
    for (const name of Object.keys(before)) {
      const was = before[name];
      const is = getOwn(after, name);
      // What a merge did not touch is the same object on both sides.
      if (was === is || was === undefined) continue;
      const element = fieldElement(name);
      if (is === undefined)
        addWhole(this.removed.at(this.steps), element, { value: was, schema: memberSchema(schema, name) });
      else this.value(element, { was, is }, memberSchema(schema, name));
    }
    for (const name of Object.keys(after)) {
      const is = after[name];
      if (is === undefined || getOwn(before, name) !== undefined) continue;
      addWhole(this.added.at(this.steps), fieldElement(name), {
        value: is,
        schema: memberSchema(schema, name),
      });
    }
  }

  private value(element: PathElement, pair: Pair, schema: Schema | undefined): void {
    const was = orEmpty(pair.was, pair.is);
    const is = orEmpty(pair.is, pair.was);
    const wasAtomic = isAtomic(was, schema);
    const isNowAtomic = isAtomic(is, schema);
    if (wasAtomic && isNowAtomic) {
      if (!deepEqual(was, is)) this.modified.at(this.steps).addMember(element);
    } else if (isObject(was) && isObject(is)) {
      this.steps.push(element);
      this.members(was, is, schema);
      this.steps.pop();
    } else if (Array.isArray(was) && Array.isArray(is) && schema?.type === 'list') {
      if (!deepEqual(was, is)) this.items(element, { was, is }, schema);
    } else {
      this.otherKind(element, { was, is }, schema);
    }
  }

  /** Free values may change from a struct to something else. */
  private otherKind(element: PathElement, { was, is }: Pair, schema: Schema | undefined): void {
    addBelow(this.removed.at(this.steps).child(element), { value: was, schema });
    addBelow(this.added.at(this.steps).child(element), { value: is, schema });
    this.modified.at(this.steps).addMember(element);
  }

  private items(list: PathElement, { was, is }: Pair<JsonArray>, schema: ListSchema): void {
    const before = itemsByElement(was, schema);
    const after = itemsByElement(is, schema);
    if (!before || !after) {
      this.modified.at(this.steps).addMember(list);
      return;
    }
    this.steps.push(list);
    for (const [element, items] of before)
      this.sameItem(element, { was: items, is: after.get(element) ?? [] }, schema);
    for (const [element, items] of after) {
      if (before.has(element) || items[0] === undefined) continue;
      addWhole(this.added.at(this.steps), element, { value: items[0], schema: schema.items });
    }
    this.steps.pop();
  }

  /** Several items with one key have no order to compare them in: they count as one. */
  private sameItem(element: PathElement, { was, is }: Pair<JsonArray>, schema: ListSchema): void {
    const [first] = was;
    const [second] = is;
    if (first === undefined) return;
    if (second === undefined)
      addWhole(this.removed.at(this.steps), element, { value: first, schema: schema.items });
    else if (was.length === 1 && is.length === 1)
      this.value(element, { was: first, is: second }, schema.items);
    else if (!deepEqual(was, is)) this.modified.at(this.steps).addMember(element);
  }
}

/** Null stands for the empty collection that the other side fills. */
function orEmpty(value: JsonValue, other: JsonValue): JsonValue {
  if (value !== null) return value;
  if (Array.isArray(other)) return other.length > 0 ? [] : null;
  return isObject(other) && Object.keys(other).length > 0 ? {} : null;
}

interface Typed {
  readonly value: JsonValue;
  readonly schema: Schema | undefined;
}

/** A value with everything in it. */
function addWhole(builder: FieldSetBuilder, element: PathElement, typed: Typed): void {
  builder.addMember(element);
  // Most values are leaves, below which there is nothing to collect.
  if (!isAtomic(typed.value, typed.schema)) addBelow(builder.child(element), typed);
}

function addBelow(builder: FieldSetBuilder, { value, schema }: Typed): void {
  if (isAtomic(value, schema)) return;
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      addWhole(builder, fieldElement(name), { value: member, schema: memberSchema(schema, name) });
    }
  } else if (Array.isArray(value) && schema?.type === 'list') {
    for (const [element, [item]] of itemsByElement(value, schema) ?? []) {
      if (item !== undefined) addWhole(builder, element, { value: item, schema: schema.items });
    }
  }
}
