/** Whether a write changes anything. */
import { deepEqual, isObject, type JsonObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';

interface Stored {
  readonly entry: Pick<Entry, 'bytes' | 'isRecoded'>;
  /** The stored object, with or without its resourceVersion. */
  readonly object: ApiObject;
}

interface Next {
  readonly object: ApiObject;
  /** The object as it would be stored. */
  readonly bytes: Buffer;
}

/**
 * True if the next object equals the stored one. The order of members is ignored, or two clients could overwrite each
 * other forever. A write without changes still converts an object to the current stored form.
 */
export function isUnchanged({ object, bytes }: Next, { entry, object: before }: Stored): boolean {
  // A different order has the same length.
  if (entry.isRecoded === true || bytes.length !== entry.bytes.length) return false;
  return bytes.equals(entry.bytes) || deepEqual(withoutVersion(object), withoutVersion(before));
}

function withoutVersion(object: ApiObject): JsonObject {
  const { metadata, ...rest } = asJson(object);
  if (!isObject(metadata)) return rest;
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
