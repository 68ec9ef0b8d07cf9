/** Reads objects for admission plugins directly from storage, without authorization or admission. */
import type { ObjectReader } from '../../admission/object-reader.ts';
import { SharedSlice, turnFor } from '../../base/cooperate.ts';
import type { GroupResource } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';
import { memoized } from '../../registry/entry-memo.ts';
import { entryObject } from '../../registry/written-entry.ts';
import { translated } from '../../registry/storage-errors.ts';
import { ParsedObjects } from '../../registry/write/parsed-objects.ts';
import { sizeOf } from '../../storage/size.ts';
import type { CollectionId, Entry, Storage } from '../../storage/types.ts';

/**
 * Maximum memory of cached parsed objects: every write of a pod reads the same few (namespace, service account,
 * priority classes, limits), and parsing took 60 µs per write.
 */
const rememberedBytes = 6 * 1024 * 1024;

/**
 * Lists are of configuration (quotas, limits, classes), all of which each write reads: a cache that holds less than a list
 * would hold nothing of it at the next write.
 */
const listed = memoized(entryObject);

/** All lists that are read in slices share it. */
const listing = new SharedSlice();

export function createStorageReader(storage: Pick<Storage, 'peek' | 'get' | 'view'>): ObjectReader {
  const parsed = new ParsedObjects(rememberedBytes);
  const objectOf = (entry: Entry): ApiObject => {
    const known = parsed.get(entry);
    if (known) return known;
    const object = entryObject(entry);
    parsed.set(entry, object);
    return object;
  };
  const asObject = (entry: Entry | undefined): ApiObject | undefined => entry && objectOf(entry);
  return {
    turnFor: (collection, key) => {
      const entry = storage.peek(collection, key);
      return entry && turnFor(sizeOf(entry));
    },
    peek: (collection, key) => asObject(storage.peek(collection, key)),
    read: (collection, key, signal) =>
      translated({ resource: resourceOf(collection), name: key }, async () =>
        asObject(await storage.get(collection, key, { kind: 'mostRecent' }, signal)),
      ),
    contentsOf: (collection) => storage.view(collection).contents,
    bytesOf: (collection, prefix) => {
      let bytes = 0;
      for (const entry of storage.view(collection).entries(prefix, '')) bytes += sizeOf(entry);
      return bytes;
    },
    largestOf: (collection, prefix) => {
      let largest = 0;
      for (const entry of storage.view(collection).entries(prefix, ''))
        largest = Math.max(largest, sizeOf(entry));
      return largest;
    },
    list: (collection, prefix) => Array.from(storage.view(collection).entries(prefix, ''), listed),
    listInSlices: async (collection, prefix) => {
      const objects: ApiObject[] = [];
      // They are those of now, whatever changes between two slices.
      for (const entry of [...storage.view(collection).entries(prefix, '')]) {
        objects.push(listed(entry));
        if (listing.shouldYield()) await listing.yieldNow();
      }
      return objects;
    },
  };
}

function resourceOf(collection: CollectionId): GroupResource {
  const [group = '', resource = ''] = collection.split('/');
  return { group: group === 'core' ? '' : group, resource };
}
