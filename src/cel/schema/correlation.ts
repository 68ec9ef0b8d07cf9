/** What values of an updated object were before: members by their names, items of map lists by their keys. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import type { Structural } from '../../schema/structural/types.ts';

export class Correlation {
  /** Undefined when there was none, or it cannot be told which one it was. */
  readonly old: JsonValue | undefined;
  private readonly value: JsonValue;
  private readonly above: Correlation | undefined;
  private known: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue | undefined, above: Correlation | undefined) {
    this.value = value;
    this.old = old;
    this.above = above;
  }

  below(value: JsonValue, old: JsonValue | undefined): Correlation {
    return new Correlation(value, old, this);
  }

  /** The value is as it was, or the nearest one above is that can be compared. */
  isUnchanged(): boolean {
    this.known ??=
      this.old === undefined ? (this.above?.isUnchanged() ?? false) : deepEqual(this.value, this.old);
    return this.known;
  }
}

/** Gives the old item of an item, where keys tell items apart. */
export function correlatedItems(
  { listType, listMapKeys }: Structural,
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (listType !== 'map' || !Array.isArray(old) || old.length === 0) return () => undefined;
  const items = new Map<string, JsonValue>();
  for (const item of old) {
    const key = keyOf(item, listMapKeys);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, listMapKeys);
    return key === undefined ? undefined : items.get(key);
  };
}

function keyOf(item: JsonValue, names: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  const keys: JsonObject = {};
  for (const name of names) keys[name] = getOwn(item, name) ?? null;
  return canonicalJson(keys);
}
