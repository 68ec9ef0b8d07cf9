/** The order of members in YAML. */
import type { JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';

/** An object with `apiVersion` and `kind` before its other members, as people write YAML. */
export function typeFirst(value: JsonValue): JsonValue {
  if (!isObject(value) || value['apiVersion'] === undefined) return value;
  const { apiVersion, kind, ...rest } = value;
  return { apiVersion, ...(kind !== undefined && { kind }), ...rest };
}
