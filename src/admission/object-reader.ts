/** What plugins may see of other objects: the replica's view, and quorum reads before a write is rejected. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { CollectionId, ObjectKey } from '../storage/types.ts';

/** Objects are of their storage version. They are shared: callers change copies only. */
export interface ObjectReader {
  /** The object as the replica's view has it. */
  peek(collection: CollectionId, key: ObjectKey): ApiObject | undefined;
  /** The same, of which large ones are parsed in slices. Absent: none is large. */
  peekInSlices?(collection: CollectionId, key: ObjectKey): MaybePromise<ApiObject | undefined>;
  /** The object as a quorum read finds it. */
  read(collection: CollectionId, key: ObjectKey, signal: AbortSignal): Promise<ApiObject | undefined>;
  /** An object that stays the same as long as nothing in the collection changes. Absent: nobody knows. */
  contentsOf?(collection: CollectionId): object;
  /** Bytes of the stored texts of the objects whose keys begin so: to list them costs as much. Absent: they are few. */
  bytesOf?(collection: CollectionId, prefix: string): number;
  /** Bytes of the largest one of them. Absent: it is small. */
  largestOf?(collection: CollectionId, prefix: string): number;
  /** The objects whose keys begin so, as the replica's view has them. */
  list(collection: CollectionId, prefix: string): readonly ApiObject[];
  /** The same, read in slices: there may be thousands. Absent: they are few. */
  listInSlices?(collection: CollectionId, prefix: string): Promise<readonly ApiObject[]>;
}

/** The object from the view, or from a quorum read where the view has none: it may have been made elsewhere just now. */
export async function find(
  reader: ObjectReader,
  collection: CollectionId,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  return (await seenBy(reader, collection, key)) ?? (await reader.read(collection, key, signal));
}

/** The object as the view has it; a large one is parsed in slices. */
export function seenBy(
  reader: ObjectReader,
  collection: CollectionId,
  key: ObjectKey,
): MaybePromise<ApiObject | undefined> {
  return reader.peekInSlices ? reader.peekInSlices(collection, key) : reader.peek(collection, key);
}
