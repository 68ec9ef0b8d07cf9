/** Texts by which equal values are found without comparing each with each. */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

/** Texts of equal values are equal, whatever the order of their members. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}
