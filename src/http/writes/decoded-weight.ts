/**
 * What a decoded body weighs. A few bytes of Protobuf make an object, an alias of YAML copies thousands of them, and each is
 * validated, compared and owned by itself: the length of such a body says little of the work.
 */
import type { JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

/** Bytes of an ordinary body that take about as long as one more member. */
export const memberBytes = 16;

/** Whether a value weighs more than `limit`: its members, by `memberBytes`, and the length of their names and texts. Looks no further. */
export function weighsMore(value: JsonValue, limit: number): boolean {
  return weightLeft(value, limit) < 0;
}

/** What is left of the limit; less than 0 beyond it. Calls are as deep as a body may be nested. */
function weightLeft(value: JsonValue, limit: number): number {
  let left = limit - memberBytes;
  if (typeof value === 'string') return left - value.length;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (left < 0) return left;
      left = weightLeft(item ?? null, left);
    }
  } else if (isObject(value))
    for (const name of Object.keys(value)) {
      if (left < 0) return left;
      left = weightLeft(value[name] ?? null, left - name.length);
    }
  return left;
}
