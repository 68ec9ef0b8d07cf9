/** Texts by which equal values are found without comparing each with each. */
import type { JsonArray, JsonObject, JsonValue } from './json.ts';
import { isObject } from './json.ts';

/**
 * JSON with the members of objects in order of their names: equal values have equal texts.
 * @param each called for each value in it; what it throws ends the work
 */
export function canonicalJson(value: JsonValue, each?: () => void): string {
  const writer = new CanonicalWriter(each);
  writer.value(value);
  return writer.text;
}

/** Adds to one text: to join texts of parts would copy them at each level above. */
class CanonicalWriter {
  text = '';
  private readonly each: (() => void) | undefined;

  constructor(each: (() => void) | undefined) {
    this.each = each;
  }

  value(value: JsonValue): void {
    this.each?.();
    if (Array.isArray(value)) this.list(value);
    else if (isObject(value)) this.object(value);
    else this.text += JSON.stringify(value);
  }

  private list(list: JsonArray): void {
    let before = '[';
    for (const item of list) {
      this.text += before;
      this.value(item);
      before = ',';
    }
    this.text += list.length === 0 ? '[]' : ']';
  }

  private object(object: JsonObject): void {
    const names = Object.keys(object).filter((name) => object[name] !== undefined);
    if (names.length > 1) names.sort();
    let before = '{';
    for (const name of names) {
      this.text += `${before}${JSON.stringify(name)}:`;
      this.value(object[name] ?? null);
      before = ',';
    }
    this.text += names.length === 0 ? '{}' : '}';
  }
}
