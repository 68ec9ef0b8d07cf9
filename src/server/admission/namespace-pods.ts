/** The pods of a namespace from the replica's view; each is parsed when it is asked for. */
import type { NamespacePods } from '../../admission/pod-security/plugin.ts';
import { readObject } from '../../registry/object-memo.ts';
import type { Storage } from '../../storage/types.ts';

const collection = 'core/pods';

export function createNamespacePods(storage: Pick<Storage, 'view'>): NamespacePods {
  return {
    count: (namespace) => storage.view(collection).count(`${namespace}/`, ''),
    *each(namespace) {
      for (const entry of storage.view(collection).entries(`${namespace}/`, '')) yield readObject(entry);
    },
  };
}
