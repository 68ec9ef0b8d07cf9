/** Whether a value is small, without a walk through all of a large one. */
import { isObject, type JsonArray, type JsonObject, type JsonValue } from './json.ts';

/** Whether a value has at most so many members and items, at all depths. Looks at few more than that. */
export function isSmall(value: JsonValue, mostMembers: number): boolean {
  return left(value, mostMembers) >= 0;
}

/**
 * Numbers of members of objects that have thousands, as of the first look: `Object.keys` takes a millisecond for each 5,000,
 * and every value around one is asked.
 */
const counted = new WeakMap<JsonObject, number>();
const mostUncounted = 2_000;

/** How many more it might have; negative once there are too many. */
function left(value: JsonValue, members: number): number {
  if (typeof value !== 'object' || value === null) return members;
  if (Array.isArray(value)) return leftOfItems(value, members);
  return isObject(value) ? leftOfMembers(value, members) : members;
}

function leftOfItems(list: JsonArray, members: number): number {
  let rest = members - list.length;
  for (let i = 0; i < list.length && rest >= 0; i += 1) rest = left(list[i] ?? null, rest);
  return rest;
}

function leftOfMembers(object: JsonObject, members: number): number {
  const known = counted.get(object) ?? 0;
  if (known > members) return members - known;
  const names = Object.keys(object);
  if (names.length > mostUncounted) counted.set(object, names.length);
  let rest = members - names.length;
  for (let i = 0; i < names.length && rest >= 0; i += 1) rest = left(object[names[i] ?? ''] ?? null, rest);
  return rest;
}
