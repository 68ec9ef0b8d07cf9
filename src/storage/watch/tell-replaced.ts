/** What watches of a collection get when an earlier state took its place. */
import { StorageError, type Revision } from '../types.ts';
import { changesOf } from '../view/replaced-changes.ts';
import type { ReplacedCollection } from '../view/view.ts';
import type { WatchHub } from './hub.ts';
import type { RecentEvents } from './recent-events.ts';

/** Those that list again do so; where there are others, these get what changes, and the recent events go on. */
export function tellReplaced(
  replaced: ReplacedCollection,
  revision: Revision,
  { hub, recent }: { readonly hub: WatchHub; readonly recent: RecentEvents },
): void {
  const { id } = replaced;
  const message = `${id} was replaced by an earlier state of it: list again`;
  if (!hub.endRelisting(id, new StorageError('compacted', message, { revision }))) {
    recent.forget(id, revision);
    return;
  }
  const changes = changesOf(replaced, revision);
  recent.add(changes);
  hub.publish(changes, revision);
}
