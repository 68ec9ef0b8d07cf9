/** The room that a thread needs for its copy of policy and definitions: a heap of fixed size would be too small for many of them. */
import { Slice } from '../base/cooperate.ts';
import { sizeOf } from '../storage/size.ts';
import type { CollectionId, Storage } from '../storage/types.ts';

/** Bytes of heap for a byte of stored text: parsed and indexed up to five, and as much again until it is collected. */
const heapFactor = 12;
const megabyte = 1024 * 1024;

/** Most room for copies: that of 128 MiB of stored text. A thread that needs more ends, and its writes are rejected. */
const mostMegabytes = 1_536;
const mostStoredBytes = (mostMegabytes * megabyte) / heapFactor;

/** Megabytes of heap that copies of these collections may take, as they are now. */
export async function copiedMegabytes(
  storage: Pick<Storage, 'view'>,
  collections: readonly CollectionId[],
): Promise<number> {
  const slice = new Slice();
  let bytes = 0;
  for (const collection of collections) {
    for (const entry of storage.view(collection).entries('', '')) {
      bytes += sizeOf(entry);
      if (bytes >= mostStoredBytes) return mostMegabytes;
      await slice.breathe();
    }
  }
  return Math.ceil((bytes * heapFactor) / megabyte);
}
