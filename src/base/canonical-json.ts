/** Texts by which equal values are found without comparing each with each. */
import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';

/**
 * JSON with the members of objects in order of their names: equal values have equal texts.
 * @param each called for each value in it; what it throws ends the work
 */
export function canonicalJson(value: JsonValue, each?: () => void): string {
  each?.();
  const text = (inner: JsonValue): string => canonicalJson(inner, each);
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).filter((key) => value[key] !== undefined);
  if (members.length > 1) members.sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${text(value[key] ?? null)}`).join(',')}}`;
}
