/** Structural sharing: what did not change becomes the same object on both sides. */
import type { JsonArray, JsonObject, JsonValue } from './json.ts';
import { deepEqual, isObject, setOwn } from './json.ts';

/**
 * Puts into `next` the objects and lists of `before` that are equal to its own, at any depth, so that whoever compares
 * the two later sees at a glance what is the same. From then on nobody may change either in place.
 * @returns whether the two are equal, as `deepEqual` says
 */
export function shareEqual(next: JsonObject, before: JsonObject): boolean {
  let isEqual = true;
  for (const key of Object.keys(next)) {
    const member = next[key];
    if (member === undefined) continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (member === old) continue;
    if (old !== undefined && isShareable(member, old)) setOwn(next, key, old);
    else isEqual = false;
  }
  return isEqual && countOf(next) === countOf(before);
}

function isShareable(next: JsonValue, before: JsonValue): boolean {
  if (Array.isArray(next)) return Array.isArray(before) && shareItems(next, before);
  if (isObject(next)) return isObject(before) && shareEqual(next, before);
  return deepEqual(next, before);
}

function shareItems(next: JsonArray, before: JsonArray): boolean {
  let isEqual = next.length === before.length;
  for (const [index, item] of next.entries()) {
    const old = before[index];
    if (item === old) continue;
    if (old !== undefined && isShareable(item, old)) next[index] = old;
    else isEqual = false;
  }
  return isEqual;
}

function countOf(object: JsonObject): number {
  let count = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) count += 1;
  return count;
}
