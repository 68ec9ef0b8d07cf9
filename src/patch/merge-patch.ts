/** JSON merge patch (RFC 7396). */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { deepCopy, getOwn, isObject, setOwn } from '../base/json.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a merge patch to an object: null removes a member, objects merge, all else replaces. Neither argument is
 * changed; the result shares with the document what the patch does not touch.
 * @throws PatchError `malformed` when the patch is no object
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw new PatchError('malformed', 'a merge patch must be an object');
  return merge(document, patch);
}

/** What is taken from the patch is copied, and holds no nulls. */
function merge(document: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...document };
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    if (change === null) Reflect.deleteProperty(result, key);
    else setOwn(result, key, merged(getOwn(document, key), change));
  }
  return result;
}

function merged(current: JsonValue | undefined, change: JsonValue): JsonValue {
  if (!isObject(change)) return deepCopy(change);
  return merge(isObject(current) ? current : {}, change);
}
