/** Defaults of a custom resource's schema: set where a member is missing or a null that means nothing. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy, isObject, setOwn } from '../../base/json.ts';
import { measure } from '../../base/measure.ts';
import type { Structural } from './types.ts';
import { isIdleNull, memberOf } from './types.ts';

/**
 * What defaults may add to an object that is written, in weight. A list has room for a million items, and a schema for
 * a default of a megabyte for each of them.
 */
export const maxAddedWeight = 8 * 1024 * 1024;

/**
 * What defaults may add to a stored object that is shown, in bytes. A write stores its defaults, so that only those that
 * came later are missing; as a rule etcd takes no more than 1.5 MiB of an object with them.
 */
const maxShownBytes = 2 * 1024 * 1024;

/** Defaults of more weight together take milliseconds to set. */
const longWeight = 256 * 1024;

/**
 * Sets defaults all the way down. Mutates the value. False: no more were set, because they would add too much.
 * @param onLong called before it takes long; may throw
 */
export function applyStructuralDefaults(node: Structural, value: JsonValue, onLong?: () => void): boolean {
  const setter = new DefaultSetter(written, onLong);
  setter.below(node, value);
  return setter.isComplete;
}

/** The same in steps, for stored objects that are shown: less may be added to them. */
export function* structuralDefaultsInSteps(
  node: Structural,
  value: JsonValue,
): Generator<void, boolean, void> {
  const setter = new DefaultSetter(shown);
  yield* setter.belowInSteps(node, value);
  return setter.isComplete;
}

/** What gets its defaults in one step. */
const valuesOfStep = 64;
const weightOfStep = 16 * 1024;

/** What defaults may add, and what a value adds with its name. */
interface Bound {
  readonly most: number;
  readonly costOf: (name: string, value: JsonValue) => number;
  readonly costs: WeakMap<Structural, number>;
}

const written: Bound = {
  most: maxAddedWeight,
  costOf: (name, value) => name.length + measure(value).weight,
  costs: new WeakMap(),
};

const shown: Bound = {
  most: maxShownBytes,
  costOf: (name, value) => Buffer.byteLength(JSON.stringify({ [name]: value })),
  costs: new WeakMap(),
};

class DefaultSetter {
  isComplete = true;
  private readonly bound: Bound;
  private left: number;
  /** Values since the last step, and what was left then. */
  private looked = 0;
  private stepLeft: number;
  private readonly onLong: (() => void) | undefined;

  constructor(bound: Bound, onLong?: () => void) {
    this.bound = bound;
    this.left = bound.most;
    this.stepLeft = bound.most;
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
        this.set(property, name, (copy) => setOwn(value, name, copy));
    }
    for (const key of Object.keys(value)) {
      const schema = memberOf(node, key);
      const member = value[key];
      if (!schema || member === undefined) continue;
      if (isIdleNull(member, schema) && schema.defaultValue !== undefined)
        this.set(schema, '', (copy) => setOwn(value, key, copy));
      else yield [schema, member];
    }
  }

  private *items(items: Structural, list: JsonValue[]): Iterable<readonly [Structural, JsonValue]> {
    for (const [i, item] of list.entries()) {
      if (isIdleNull(item, items) && items.defaultValue !== undefined)
        this.set(items, '', (copy) => {
          list[i] = copy;
        });
      else yield [items, item];
    }
  }

  /** @param name of a member that is added; '' if the value takes the place of a null */
  private set(node: Structural, name: string, put: (copy: JsonValue) => void): void {
    if (node.defaultValue === undefined || !this.isComplete) return;
    this.left -= this.costOf(node, name, node.defaultValue);
    this.isComplete = this.left >= 0;
    if (this.bound.most - this.left > longWeight) this.onLong?.();
    if (this.isComplete) put(deepCopy(node.defaultValue));
  }

  private costOf(node: Structural, name: string, value: JsonValue): number {
    const { costs, costOf } = this.bound;
    let cost = costs.get(node);
    if (cost === undefined) costs.set(node, (cost = costOf(name, value)));
    return cost;
  }
}
