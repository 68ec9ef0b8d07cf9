/** Entries as writes answer them: what was stored, before the view has seen it. */
import type { JsonObject } from '../base/json.ts';
import { decodeStored } from '../codec/stored.ts';
import type { ApiObject } from '../meta/object.ts';
import { asApiObject } from '../meta/object.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../storage/types.ts';

export function newEntry(
  collection: CollectionId,
  key: ObjectKey,
  bytes: Buffer,
  modRevision: Revision,
): Entry {
  return { collection, key, modRevision, bytes, versionAt: 0, memo: undefined };
}

/** A private copy of the stored object, its resourceVersion filled in; the caller may mutate it. */
export function decodeEntry(entry: Entry): JsonObject {
  return withRevision(decodeStored(entry.bytes), entry.modRevision);
}

/** Fills in the resourceVersion of a stored object. Mutates and gives it. */
export function withRevision(object: JsonObject, revision: Revision): JsonObject {
  asApiObject(object).metadata.resourceVersion = String(revision);
  return object;
}

/** The same as an object. */
export function entryObject(entry: Entry): ApiObject {
  return asApiObject(decodeEntry(entry));
}
