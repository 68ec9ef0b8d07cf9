/** What changes for watches of a collection that another state took the place of. */
import type { Entry, Revision, StoredEvent } from '../types.ts';
import { deletion, type ReplacedCollection } from './view.ts';

/** In the order of the keys, all of one revision. Takes time for all objects of both states. */
export function changesOf({ before, after }: ReplacedCollection, revision: Revision): StoredEvent[] {
  const changes: StoredEvent[] = [];
  const olds = (before?.entries() ?? [])[Symbol.iterator]();
  let old = olds.next();
  const takeOldsBelow = (key: string | undefined): void => {
    for (; old.done !== true && (key === undefined || old.value.key < key); old = olds.next())
      changes.push(deletion(old.value, revision));
  };
  for (const entry of after.entries()) {
    takeOldsBelow(entry.key);
    const previous = old.done !== true && old.value.key === entry.key ? old.value : undefined;
    if (previous !== undefined) old = olds.next();
    if (previous?.modRevision !== entry.modRevision) changes.push(putOf(entry, previous, revision));
  }
  takeOldsBelow(undefined);
  return changes;
}

function putOf(entry: Entry, previous: Entry | undefined, revision: Revision): StoredEvent {
  const { collection, key } = entry;
  return { type: 'put', revision, collection, key, entry, previous };
}
