/** Whether a write changes anything. */
import { deepEqual, isObject, type JsonObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';

interface Stored {
  readonly entry: Pick<Entry, 'bytes' | 'isRecoded'>;
  /** What the entry's bytes say, with or without its resourceVersion. */
  readonly object: ApiObject;
}

interface Next {
  readonly object: ApiObject;
  /** The same as it would be stored. */
  readonly bytes: Buffer;
}

/**
 * True when the next object says what is stored. Clients write members in orders of their own: that alone is no change,
 * or two of them would overwrite each other for ever. A write that changes nothing still brings an object into the form
 * that is stored now.
 */
export function isUnchanged({ object, bytes }: Next, { entry, object: before }: Stored): boolean {
  // Another order is of the same length.
  if (entry.isRecoded === true || bytes.length !== entry.bytes.length) return false;
  return bytes.equals(entry.bytes) || deepEqual(withoutVersion(object), withoutVersion(before));
}

function withoutVersion(object: ApiObject): JsonObject {
  const { metadata, ...rest } = asJson(object);
  if (!isObject(metadata)) return rest;
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
