/**
 * What a write changed, as field sets. A value that appears or goes counts with everything in it and around it
 * (the container too); otherwise what differs counts at the deepest level that is owned by itself.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import type { Schema } from '../../schema/types.ts';
import type { FieldSet } from './field-set.ts';
import { FieldSetBuilder } from './field-set.ts';
import { itemsByElement } from './item-element.ts';
import type { PathElement } from './path-element.ts';
import type { View } from './schema-view.ts';
import { viewOf } from './schema-view.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
  /** Added and modified. */
  readonly changed: FieldSet;
  /**
   * Of these the values themselves: a collection that came into being only because something is in it conflicts with no
   * manager.
   */
  readonly values: FieldSet;
  /** What no other manager owns any longer: the values, and what was removed. */
  readonly taken: FieldSet;
  readonly isSame: boolean;
}

/** Compares two objects of one schema. Never throws: lists that break their own rules are compared as one. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: Schema): Comparison {
  const walk = new ComparisonWalk();
  walk.members(before, after, viewOf(schema));
  const [added, modified, removed] = [walk.added.build(), walk.modified.build(), walk.removed.build()];
  const changed = added.union(modified);
  let values: FieldSet | undefined;
  let taken: FieldSet | undefined;
  return {
    ...{ added, modified, removed, changed, isSame: changed.isEmpty && removed.isEmpty },
    /** Computed on demand: without other managers it is not needed. */
    get values() {
      return (values ??= added.leaves().union(modified));
    },
    get taken() {
      return (taken ??= this.values.union(removed));
    },
  };
}

interface Pair<T = JsonValue> {
  readonly was: T;
  readonly is: T;
}

/** A set that a walk collects. The builders on the way to the current value are kept: each difference would go down all of it. */
class Collected {
  private readonly root = new FieldSetBuilder();
  private readonly way: FieldSetBuilder[] = [];

  /** The builder of what is below the current value. */
  at(steps: readonly PathElement[]): FieldSetBuilder {
    let last = this.way.at(-1) ?? this.root;
    for (const step of steps.slice(this.way.length)) {
      last = last.child(step);
      this.way.push(last);
    }
    return last;
  }

  /** The walk goes back up to so many steps. */
  leave(steps: number): void {
    this.way.length = Math.min(this.way.length, steps);
  }

  build(): FieldSet {
    return this.root.build();
  }
}

class ComparisonWalk {
  readonly added = new Collected();
  readonly modified = new Collected();
  readonly removed = new Collected();
  /** The way to the current value. */
  private readonly steps: PathElement[] = [];
  /** In a list that differs lists are gone through at once: to compare each first would read what is in it on every level. */
  private isInDiffering = false;

  members(before: JsonObject, after: JsonObject, view: View): void {
    for (const name of Object.keys(before)) {
      const was = before[name];
      const is = getOwn(after, name);
      // What a merge did not touch is the same object on both sides.
      if (was === is || was === undefined) continue;
      const { element, view: below } = view.member(name);
      if (is === undefined) addWhole(this.removed.at(this.steps), element, { value: was, view: below });
      else this.value(element, { was, is }, below);
    }
    for (const name of Object.keys(after)) {
      const is = after[name];
      if (is === undefined || getOwn(before, name) !== undefined) continue;
      const { element, view: below } = view.member(name);
      addWhole(this.added.at(this.steps), element, { value: is, view: below });
    }
  }

  private value(element: PathElement, pair: Pair, view: View): void {
    const was = orEmpty(pair.was, pair.is);
    const is = orEmpty(pair.is, pair.was);
    if (view.isOne(was) && view.isOne(is)) {
      if (!deepEqual(was, is)) this.modified.at(this.steps).addMember(element);
    } else if (isObject(was) && isObject(is)) {
      this.steps.push(element);
      this.members(was, is, view);
      this.leave();
    } else if (Array.isArray(was) && Array.isArray(is) && view.list) {
      if (this.isInDiffering || !deepEqual(was, is)) this.items(element, { was, is }, view);
    } else {
      this.otherKind(element, { was, is }, view);
    }
  }

  /** Free values may change from a struct to something else. */
  private otherKind(element: PathElement, { was, is }: Pair, view: View): void {
    addBelow(this.removed.at(this.steps).child(element), { value: was, view });
    addBelow(this.added.at(this.steps).child(element), { value: is, view });
    this.modified.at(this.steps).addMember(element);
  }

  private items(list: PathElement, { was, is }: Pair<JsonArray>, view: View): void {
    const before = view.list && itemsByElement(was, view.list);
    const after = view.list && itemsByElement(is, view.list);
    if (!before || !after) {
      if (!deepEqual(was, is)) this.modified.at(this.steps).addMember(list);
      return;
    }
    const wasInDiffering = this.isInDiffering;
    this.isInDiffering = true;
    this.steps.push(list);
    for (const [element, items] of before)
      this.sameItem(element, { was: items, is: after.get(element) ?? [] }, view.items);
    for (const [element, items] of after) {
      if (before.has(element) || items[0] === undefined) continue;
      addWhole(this.added.at(this.steps), element, { value: items[0], view: view.items });
    }
    this.leave();
    this.isInDiffering = wasInDiffering;
  }

  private leave(): void {
    this.steps.pop();
    for (const set of [this.added, this.modified, this.removed]) set.leave(this.steps.length);
  }

  /** Several items with one key have no order to compare them in: they count as one. */
  private sameItem(element: PathElement, { was, is }: Pair<JsonArray>, view: View): void {
    const [first] = was;
    const [second] = is;
    if (first === undefined || (first === second && was.length === 1 && is.length === 1)) return;
    if (second === undefined) addWhole(this.removed.at(this.steps), element, { value: first, view });
    else if (was.length === 1 && is.length === 1) this.value(element, { was: first, is: second }, view);
    else if (!deepEqual(was, is)) this.modified.at(this.steps).addMember(element);
  }
}

/** Null stands for the empty collection that the other side fills. */
function orEmpty(value: JsonValue, other: JsonValue): JsonValue {
  if (value !== null) return value;
  if (Array.isArray(other)) return other.length > 0 ? [] : null;
  return isObject(other) && Object.keys(other).length > 0 ? {} : null;
}

interface Viewed {
  readonly value: JsonValue;
  readonly view: View;
}

/** A value with everything in it. */
function addWhole(builder: FieldSetBuilder, element: PathElement, viewed: Viewed): void {
  builder.addMember(element);
  // Most values are leaves, below which there is nothing to collect.
  if (!viewed.view.isOne(viewed.value)) addBelow(builder.child(element), viewed);
}

function addBelow(builder: FieldSetBuilder, { value, view }: Viewed): void {
  if (view.isOne(value)) return;
  if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const { element, view: below } = view.member(name);
      addWhole(builder, element, { value: member, view: below });
    }
  } else if (Array.isArray(value) && view.list) {
    for (const [element, [item]] of itemsByElement(value, view.list) ?? []) {
      if (item !== undefined) addWhole(builder, element, { value: item, view: view.items });
    }
  }
}
