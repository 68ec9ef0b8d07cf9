/** What dry runs ask of a storage, over a few objects in memory: nothing is ever written, so that no etcd is needed. */
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { CollectionSnapshot, Entry, Storage } from '../../../src/storage/types.ts';

/** Storage for dry runs that knows these objects, by `collection/key`; whoever asks for more of it gets an error. */
export function dryRunStorage(objects: ReadonlyMap<string, Buffer>): Storage {
  const find = (collection: string, key: string): Entry | undefined => {
    const bytes = objects.get(`${collection}/${key}`);
    return bytes && newEntry(collection, key, bytes, 1);
  };
  const none = (): never => {
    throw new Error('a dry run asks nothing of this kind');
  };
  const empty = { size: 0, contents: {}, entries: () => [] } as unknown as CollectionSnapshot;
  return {
    get: (collection, key) => Promise.resolve(find(collection, key)),
    peek: find,
    view: () => empty,
    revision: () => 1,
    ...{
      snapshot: none,
      create: none,
      update: none,
      delete: none,
      claiming: none,
      watch: none,
      health: none,
    },
  };
}
