/** What admission plugins see of other objects: straight from storage, past permission and past themselves. */
import type { ObjectReader } from '../../admission/object-reader.ts';
import type { GroupResource } from '../../meta/gvk.ts';
import type { ApiObject } from '../../meta/object.ts';
import { entryObject } from '../../registry/entry.ts';
import { translated } from '../../registry/errors.ts';
import type { CollectionId, Entry, Storage } from '../../storage/types.ts';

export function createStorageReader(storage: Pick<Storage, 'peek' | 'get' | 'view'>): ObjectReader {
  const asObject = (entry: Entry | undefined): ApiObject | undefined => entry && entryObject(entry);
  return {
    peek: (collection, key) => asObject(storage.peek(collection, key)),
    read: (collection, key, signal) =>
      translated({ resource: resourceOf(collection), name: key }, async () =>
        asObject(await storage.get(collection, key, { kind: 'mostRecent' }, signal)),
      ),
    list: (collection, prefix) => Array.from(storage.view(collection).entries(prefix, ''), entryObject),
  };
}

function resourceOf(collection: CollectionId): GroupResource {
  const [group = '', resource = ''] = collection.split('/');
  return { group: group === 'core' ? '' : group, resource };
}
