/** The room that a thread needs for its copy of policy and definitions: a heap of fixed size would be too small for many of them. */
import { Slice } from '../base/cooperate.ts';
import { serviceUnavailable } from '../meta/status.ts';
import { sizeOf } from '../storage/size.ts';
import type { CollectionId, Storage } from '../storage/types.ts';

/** Bytes of heap for a byte of stored text: parsed and indexed up to five, and as much again until it is collected. */
const heapFactor = 12;
const megabyte = 1024 * 1024;

/** Most that the copies may take of one heap: those of 128 MB of stored text. Larger ones would take the memory of the process. */
const maxCopiedMegabytes = 1_536;
const maxStoredBytes = (maxCopiedMegabytes * megabyte) / heapFactor;

/**
 * Megabytes of heap that copies of these collections take, as they are now.
 * @throws StatusError 503 where that is more than a thread may have. Small writes and deletions need no thread: they still serve to
 *   remove what is too much.
 */
export async function copiedMegabytes(
  storage: Pick<Storage, 'view'>,
  collections: readonly CollectionId[],
): Promise<number> {
  const slice = new Slice();
  let bytes = 0;
  for (const collection of collections) {
    for (const entry of storage.view(collection).entries('', '')) {
      bytes += sizeOf(entry);
      if (bytes > maxStoredBytes) throw tooMuchToCopy();
      await slice.breathe();
    }
  }
  return Math.ceil((bytes * heapFactor) / megabyte);
}

function tooMuchToCopy(): Error {
  const limit = `${String(maxStoredBytes / megabyte)} MiB`;
  return serviceUnavailable(
    `large objects cannot be processed: policies, bindings and definitions have more than ${limit} together`,
  );
}
