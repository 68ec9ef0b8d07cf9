/** JSON merge patch (RFC 7396). */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { deepCopy, getOwn, isObject, setOwn } from '../base/json.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a merge patch to an object: null removes a member, objects merge, all else replaces.
 * Neither argument is changed, and the result shares nothing with them.
 * @throws PatchError `malformed` when the patch is no object
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw new PatchError('malformed', 'a merge patch must be an object');
  const result = deepCopy(document);
  mergeInto(result, patch);
  return result;
}

/** Merges into an object that the caller owns. What is taken from the patch is copied, and holds no nulls. */
export function mergeInto(target: JsonObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) Reflect.deleteProperty(target, key);
    else setOwn(target, key, merged(getOwn(target, key), change));
  }
}

function merged(current: JsonValue | undefined, change: JsonValue): JsonValue {
  if (!isObject(change)) return deepCopy(change);
  const target = isObject(current) ? current : {};
  mergeInto(target, change);
  return target;
}
