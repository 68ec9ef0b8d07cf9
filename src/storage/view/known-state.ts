/** A state of the watch cache with which the storage of a copy of the same etcd begins, instead of loading it. */
import type { StorageLimits } from '../options.ts';
import type { CollectionId, Revision } from '../types.ts';
import { CollectionView, type PinnedCollection } from './collection.ts';
import type { View } from './view.ts';
import type { ViewDraft } from './view-draft.ts';

/** It never changes, and any number of storages may begin with it. */
export interface KnownState {
  readonly revision: Revision;
  readonly collections: ReadonlyMap<CollectionId, PinnedCollection>;
  readonly compactedAt: Revision;
  /** The name of the past of etcd that it belongs to. */
  readonly past: string;
}

const made = new WeakSet();

/** A state that a view of this process has made, if it is of the past of this view, which knows its own state. */
export function fittingState(state: object, view: View): KnownState | undefined {
  if (!made.has(state) || !view.isTrusted) return undefined;
  const known = state as KnownState;
  return known.past === view.past.name ? known : undefined;
}

/** What a view has now, O(1) per collection; undefined while it has no state that is known to be that of etcd. */
export function knownStateOf(view: View): KnownState | undefined {
  const { name: past } = view.past;
  if (past === undefined || !view.isTrusted) return undefined;
  const { revision, collections } = view.pinned();
  const known: KnownState = { revision, collections, compactedAt: view.compactedAt, past };
  made.add(known);
  return known;
}

/**
 * The state as one that was loaded: keys are shared until one side changes. So are entries with what readers note of them, which
 * each replica takes back when it ends.
 */
export function draftOf(known: KnownState, view: View, limits: StorageLimits): ViewDraft {
  const draft = view.draft(known.revision);
  draft.compactedAt = known.compactedAt;
  draft.past = known.past;
  for (const [id, pinned] of known.collections)
    draft.collections.set(id, new CollectionView(id, known.revision, limits, pinned));
  return draft;
}
