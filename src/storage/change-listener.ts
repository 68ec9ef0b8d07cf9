/** What becomes of the changes of the view: recent events, watches, storages of other threads. */
import type { ConsistencyCheck } from './consistency/consistency-check.ts';
import type { Feeds } from './feed/feeds.ts';
import type { FollowerListener } from './following.ts';
import { StorageError } from './types.ts';
import { uncoveredError } from './view/entry-reader.ts';
import type { WatchHub } from './watch/hub.ts';
import type { RecentEvents } from './watch/recent-events.ts';
import { tellReplaced } from './watch/tell-replaced.ts';

/** Those of functions are made later. */
export interface ChangeListenerParts {
  readonly recent: RecentEvents;
  readonly hub: () => WatchHub;
  readonly feeds: () => Feeds;
  readonly check: () => Pick<ConsistencyCheck, 'soon'>;
  /** Another state was put in place. */
  readonly onLoaded: () => void;
}

/** The listener of what follows etcd. */
export function changeListener({
  recent,
  hub,
  feeds,
  check,
  onLoaded,
}: ChangeListenerParts): FollowerListener {
  return {
    onChanges: (changes, revision, { unreadable, uncovered }, source) => {
      // Those that are told a later change first would be resumed behind the one that they miss.
      for (const entry of unreadable) hub().endWatchesOf(entry, entry.error);
      for (const entry of uncovered) hub().endWatchesOf(entry, uncoveredError(entry, revision));
      recent.add(changes);
      for (const { collection } of [...unreadable, ...uncovered]) recent.forget(collection, revision);
      hub().publish(changes, revision);
      if (source !== undefined) feeds().note({ ...source, changes, unshown: { unreadable, uncovered } });
    },
    onAdopted: (collection, revision) => {
      feeds().restart();
      recent.forget(collection, revision);
      const message = `${collection} was loaded again; its history is lost`;
      hub().endCollection(collection, new StorageError('compacted', message, { revision }));
    },
    onReplaced: (replaced, revision) => {
      feeds().restart();
      for (const each of replaced) tellReplaced(each, revision, { hub: hub(), recent });
    },
    onLate: () => check().soon(),
    onLoaded: (revision, isFirst) => {
      feeds().restart();
      recent.reset(revision);
      onLoaded();
      if (isFirst) return;
      const message = 'the state was reloaded; its history is lost';
      hub().endAll(new StorageError('compacted', message, { revision }));
    },
  };
}
