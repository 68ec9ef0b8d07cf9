/** Entries of completed writes, before the view has received them. */
import type { JsonObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { decodeStored, decodeStoredInSlices } from '../codec/stored.ts';
import type { ApiObject } from '../meta/object.ts';
import { asApiObject } from '../meta/object.ts';
import { sizeOf } from '../storage/size.ts';
import type { CollectionId, Entry, ObjectKey, Revision, WriteReceipt } from '../storage/types.ts';

export function newEntry(
  collection: CollectionId,
  key: ObjectKey,
  bytes: Buffer,
  modRevision: Revision,
): Entry {
  return { collection, key, modRevision, bytes, mark: 0, versionAt: 0, memo: undefined };
}

/** The last state of an object that a write has removed. Its text is made when it is read: most who delete do not read it. */
export function removedEntry(last: Entry, revision: Revision): Entry {
  return new RemovedEntry(last, revision);
}

class RemovedEntry implements Entry {
  readonly modRevision: Revision;
  readonly mark = 0;
  versionAt = 0;
  memo: Map<unknown, unknown> | undefined = undefined;
  readonly #last: Entry;

  constructor(last: Entry, revision: Revision) {
    this.#last = last;
    this.modRevision = revision;
  }

  get collection(): CollectionId {
    return this.#last.collection;
  }

  get key(): ObjectKey {
    return this.#last.key;
  }

  get bytes(): Buffer {
    return this.#last.bytes;
  }

  get size(): number {
    return sizeOf(this.#last);
  }
}

/** The entry of a completed write. `bytes` are the given ones. */
export function writtenEntry(
  { collection, key }: Pick<Entry, 'collection' | 'key'>,
  bytes: Buffer,
  receipt: WriteReceipt,
): Entry {
  const { revision, mark = 0 } = receipt;
  const entry = newEntry(collection, key, receipt.bytes ?? bytes, revision);
  // The mark belongs to the given bytes only.
  return receipt.bytes ? entry : { ...entry, mark };
}

/** A private copy of the stored object with its resourceVersion; the caller may mutate it. */
export function decodeEntry(entry: Entry): JsonObject {
  return withRevision(decodeStored(entry.bytes), entry.modRevision);
}

/** Sets the resourceVersion of a stored object. Mutates and returns it. */
export function withRevision(object: JsonObject, revision: Revision): JsonObject {
  asApiObject(object).metadata.resourceVersion = String(revision);
  return object;
}

/** The stored object as an ApiObject. */
export function entryObject(entry: Entry): ApiObject {
  return asApiObject(decodeEntry(entry));
}

/**
 * The same of an entry that may be large.
 *
 * @param breathe awaited between slices
 */
export async function entryObjectInSlices(
  { bytes, modRevision }: Entry,
  breathe: () => MaybePromise<void>,
): Promise<ApiObject> {
  return asApiObject(withRevision(await decodeStoredInSlices(bytes, breathe), modRevision));
}

/** The object that a write starts from. */
export interface Current {
  readonly entry: Entry;
  /** False if the entry is from the watch cache without a quorum read. */
  readonly fresh: boolean;
}
