/** Texts by which equal values are found without comparing each with each. */
import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';

/** JSON with the members of objects in order of their names: equal values have equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).filter((key) => value[key] !== undefined);
  if (members.length > 1) members.sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(',')}}`;
}
