/** Whether parts of a value are as they were; each pair is compared once, however many parts above it ask. */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';

export class Unchanged {
  private readonly known = new WeakMap<object, WeakMap<object, boolean>>();

  isSame(value: JsonValue, before: JsonValue): boolean {
    if (value === before) return true;
    if (Array.isArray(value))
      return Array.isArray(before) && this.pair(value, before, () => this.lists(value, before));
    if (isObject(value))
      return isObject(before) && this.pair(value, before, () => this.objects(value, before));
    return deepEqual(value, before);
  }

  private pair(value: object, before: object, compare: () => boolean): boolean {
    let others = this.known.get(value);
    if (!others) this.known.set(value, (others = new WeakMap()));
    let same = others.get(before);
    if (same === undefined) others.set(before, (same = compare()));
    return same;
  }

  private lists(value: JsonArray, before: JsonArray): boolean {
    return value.length === before.length && value.every((item, i) => this.isSame(item, before[i] ?? null));
  }

  private objects(value: JsonObject, before: JsonObject): boolean {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    const others = Object.keys(before).filter((name) => before[name] !== undefined);
    if (names.length !== others.length) return false;
    return names.every((name) => {
      const old = getOwn(before, name);
      return old !== undefined && this.isSame(value[name] ?? null, old);
    });
  }
}
