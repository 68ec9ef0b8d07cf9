/** Reads objects for admission plugins directly from storage, without authorization or admission. */
import type { ObjectReader } from '../../admission/object-reader.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { GroupResource } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ObjectMemo, readObject } from '../../registry/object-memo.ts';
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
const listed = new ObjectMemo((object) => object);

/** All lists that are read in slices share it. */
const listing = new SharedSlice();

export function createStorageReader(storage: Pick<Storage, 'peek' | 'get' | 'view'>): ObjectReader {
  const parsed = new ParsedObjects(rememberedBytes);
  const keep = (entry: Entry, object: ApiObject): ApiObject => {
    parsed.set(entry, object);
    return object;
  };
  /** Large objects that are read now: all who want one share it. */
  const underWay = new Map<Entry, Promise<ApiObject>>();
  const inSlices = (entry: Entry | undefined): MaybePromise<ApiObject | undefined> => {
    const known = entry && (parsed.get(entry) ?? underWay.get(entry));
    if (!entry || known) return known;
    const object = readObject(entry);
    if (!(object instanceof Promise)) return keep(entry, object);
    const kept = object.then((read) => keep(entry, read)).finally(() => underWay.delete(entry));
    underWay.set(entry, kept);
    return kept;
  };
  return {
    peek: (collection, key) => {
      const entry = storage.peek(collection, key);
      return entry && (parsed.get(entry) ?? keep(entry, entryObject(entry)));
    },
    peekInSlices: (collection, key) => inSlices(storage.peek(collection, key)),
    read: (collection, key, signal) =>
      translated({ resource: resourceOf(collection), name: key }, async () =>
        inSlices(await storage.get(collection, key, { kind: 'mostRecent' }, signal)),
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
    list: (collection, prefix) =>
      Array.from(storage.view(collection).entries(prefix, ''), (entry) => listed.now(entry)),
    listInSlices: async (collection, prefix) => {
      const objects: ApiObject[] = [];
      // They are those of now, whatever changes between two slices.
      for (const entry of [...storage.view(collection).entries(prefix, '')]) {
        objects.push(await listed.read(entry));
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
