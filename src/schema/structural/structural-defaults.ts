/** Defaults of a custom resource's schema: set where a member is missing or a null that means nothing. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject, setOwn } from '../../base/json.ts';
import { measure } from '../../base/measure.ts';
import type { Structural } from './types.ts';
import { isIdleNull, memberOf } from './types.ts';

/**
 * What defaults may add to one object, in about as many bytes as JSON needs. A list has room for a million items, and
 * a schema for a default of a megabyte for each of them.
 */
export const maxAddedWeight = 8 * 1024 * 1024;

/**
 * What defaults may add to a stored object that is shown. A write stores its defaults, so that only those that came later are
 * missing; as a rule etcd would not take more in an object.
 */
const maxShownWeight = 2 * 1024 * 1024;

/** Defaults of more weight together take milliseconds to set. */
const longWeight = 256 * 1024;

/**
 * Sets defaults all the way down. Mutates the value. False: no more were set, because they would add too much.
 * @param onLong called before it takes long; may throw
 */
export function applyStructuralDefaults(node: Structural, value: JsonValue, onLong?: () => void): boolean {
  const setter = new DefaultSetter(maxAddedWeight, onLong);
  setter.below(node, value);
  return setter.isComplete;
}

/** The same in steps, for stored objects that are shown: less may be added to them. */
export function* structuralDefaultsInSteps(
  node: Structural,
  value: JsonValue,
): Generator<void, boolean, void> {
  const setter = new DefaultSetter(maxShownWeight);
  yield* setter.belowInSteps(node, value);
  return setter.isComplete;
}

/** What gets its defaults in one step. */
const valuesOfStep = 64;
const weightOfStep = 16 * 1024;

const weights = new WeakMap<Structural, number>();

function weightOf(node: Structural, defaultValue: JsonValue): number {
  let weight = weights.get(node);
  if (weight === undefined) weights.set(node, (weight = measure(defaultValue).weight));
  return weight;
}

class DefaultSetter {
  isComplete = true;
  private readonly most: number;
  private left: number;
  /** Values since the last step, and what was left then. */
  private looked = 0;
  private stepLeft: number;
  private readonly onLong: (() => void) | undefined;

  /** @param most what may be added, in weight */
  constructor(most: number, onLong?: () => void) {
    this.most = most;
    this.left = most;
    this.stepLeft = most;
    this.onLong = onLong;
  }

  below(node: Structural, value: JsonValue): void {
    for (const [schema, child] of this.children(node, value)) this.below(schema, child);
  }

  *belowInSteps(node: Structural, value: JsonValue): Generator<void, void, void> {
    for (const [schema, child] of this.children(node, value)) {
      yield* this.belowInSteps(schema, child);
      if (this.isStepOver()) yield;
    }
  }

  /** After some values, or some kilobytes of defaults. */
  private isStepOver(): boolean {
    this.looked += 1;
    if (this.looked < valuesOfStep && this.stepLeft - this.left < weightOfStep) return false;
    this.looked = 0;
    this.stepLeft = this.left;
    return true;
  }

  /** Sets the defaults of members and items; those that are present, with their schemas, may have defaults below. */
  private *children(node: Structural, value: JsonValue): Iterable<readonly [Structural, JsonValue]> {
    if (!node.holdsDefaults || !this.isComplete) return;
    if (isObject(value)) yield* this.members(node, value);
    else if (Array.isArray(value) && node.items) yield* this.items(node.items, value);
  }

  private *members(node: Structural, value: JsonObject): Iterable<readonly [Structural, JsonValue]> {
    for (const [name, property] of node.defaulted) {
      const present = Object.hasOwn(value, name) ? value[name] : undefined;
      if (present === undefined || (present === null && !property.nullable))
        this.set(property, (copy) => setOwn(value, name, copy));
    }
    for (const key of Object.keys(value)) {
      const schema = memberOf(node, key);
      const member = value[key];
      if (!schema || member === undefined) continue;
      if (isIdleNull(member, schema) && schema.defaultValue !== undefined)
        this.set(schema, (copy) => setOwn(value, key, copy));
      else yield [schema, member];
    }
  }

  private *items(items: Structural, list: JsonValue[]): Iterable<readonly [Structural, JsonValue]> {
    for (const [i, item] of list.entries()) {
      if (isIdleNull(item, items) && items.defaultValue !== undefined)
        this.set(items, (copy) => {
          list[i] = copy;
        });
      else yield [items, item];
    }
  }

  private set(node: Structural, put: (copy: JsonValue) => void): void {
    if (node.defaultValue === undefined || !this.isComplete) return;
    this.left -= weightOf(node, node.defaultValue);
    this.isComplete = this.left >= 0;
    if (this.most - this.left > longWeight) this.onLong?.();
    if (this.isComplete) put(deepCopy(node.defaultValue));
  }
}
