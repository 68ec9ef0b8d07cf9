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

/** Defaults of more weight together take milliseconds to set. */
const longWeight = 256 * 1024;

/**
 * Sets defaults all the way down. Mutates the value. False: no more were set, because they would add too much.
 * @param onLong called before it takes long; may throw
 */
export function applyStructuralDefaults(node: Structural, value: JsonValue, onLong?: () => void): boolean {
  const setter = new DefaultSetter(onLong);
  setter.below(node, value);
  return setter.isComplete;
}

const weights = new WeakMap<Structural, number>();

function weightOf(node: Structural, defaultValue: JsonValue): number {
  let weight = weights.get(node);
  if (weight === undefined) weights.set(node, (weight = measure(defaultValue).weight));
  return weight;
}

class DefaultSetter {
  isComplete = true;
  private left = maxAddedWeight;
  private readonly onLong: (() => void) | undefined;

  constructor(onLong: (() => void) | undefined) {
    this.onLong = onLong;
  }

  below(node: Structural, value: JsonValue): void {
    if (!node.holdsDefaults || !this.isComplete) return;
    if (isObject(value)) this.members(node, value);
    else if (Array.isArray(value) && node.items) this.items(node.items, value);
  }

  private members(node: Structural, value: JsonObject): void {
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
      else this.below(schema, member);
    }
  }

  private items(items: Structural, list: JsonValue[]): void {
    list.forEach((item, i) => {
      if (isIdleNull(item, items) && items.defaultValue !== undefined)
        this.set(items, (copy) => {
          list[i] = copy;
        });
      else this.below(items, item);
    });
  }

  private set(node: Structural, put: (copy: JsonValue) => void): void {
    if (node.defaultValue === undefined || !this.isComplete) return;
    this.left -= weightOf(node, node.defaultValue);
    this.isComplete = this.left >= 0;
    if (maxAddedWeight - this.left > longWeight) this.onLong?.();
    if (this.isComplete) put(deepCopy(node.defaultValue));
  }
}
