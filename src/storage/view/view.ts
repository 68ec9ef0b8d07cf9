/**
 * The view (watch cache) of a replica: the state of every collection at one revision. Only the follower changes it,
 * one complete revision at a time; others read it and may wait for a revision.
 */
import type { Clock } from '../../base/clock.ts';
import type { EtcdEvent } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeySpace } from '../keys.ts';
import type { StorageLimits } from '../options.ts';
import type { CollectionId, Entry, Revision, StoredEvent } from '../types.ts';
import { CollectionView } from './collection.ts';
import { compactionIn, ViewDraft } from './view-draft.ts';
import { UnreadableEntry, type EntryReader } from './entry-reader.ts';
import { StoredEntry } from './stored-entry.ts';
import { RevisionWaiters } from './revision-waiters.ts';

export interface ViewDependencies {
  readonly keys: KeySpace;
  readonly entries: EntryReader;
  readonly clock: Clock;
  readonly limits: StorageLimits;
}

export class View {
  readonly waiters = new RevisionWaiters();
  readonly #deps: ViewDependencies;
  #collections = new Map<CollectionId, CollectionView>();
  #revision: Revision = 0;
  #loadedAt: Revision = 0;
  #appliedRevisions = 0;
  #compactedAt: Revision = 0;

  constructor(deps: ViewDependencies) {
    this.#deps = deps;
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** The revision of the last load from etcd; earlier history is unknown. */
  get loadedAt(): Revision {
    return this.#loadedAt;
  }

  /** Revisions before this one are compacted, as agreed between replicas: they are not readable, even if cached. */
  get compactedAt(): Revision {
    return this.#compactedAt;
  }

  /** Number of revisions with events. */
  get appliedRevisions(): number {
    return this.#appliedRevisions;
  }

  /** The collection, created at first use. */
  collection(id: CollectionId): CollectionView {
    let collection = this.#collections.get(id);
    if (collection === undefined) {
      collection = new CollectionView(id, this.#loadedAt, this.#deps.limits);
      this.#collections.set(id, collection);
    }
    return collection;
  }

  collections(): Iterable<CollectionView> {
    return this.#collections.values();
  }

  /** A new state, invisible until `replaceBy`. */
  draft(revision: Revision): ViewDraft {
    return new ViewDraft(revision, this.#deps);
  }

  /** As that of `EntryReader`: to be awaited before events are applied. */
  prepare(events: readonly EtcdEvent[]): Promise<void> | undefined {
    return this.#deps.entries.prepare(events.map(({ kv }) => kv));
  }

  /** Number of objects that cannot be read. */
  get unreadable(): number {
    let count = 0;
    for (const { unreadable } of this.#collections.values()) count += unreadable.size;
    return count;
  }

  /** Replaces the view by a loaded state and resolves waiters. */
  replaceBy(draft: ViewDraft): void {
    this.#collections = draft.collections;
    this.#compactedAt = Math.max(this.#compactedAt, draft.compactedAt);
    this.#loadedAt = draft.revision;
    this.#revision = draft.revision;
    this.waiters.reached(draft.revision);
  }

  /**
   * Applies events of complete revisions in order. Returns the changes; `announce` resolves the waiters once the
   * event rings contain them. Objects that cannot be read are added to `blocked` instead.
   */
  apply(events: readonly EtcdEvent[], blocked: UnreadableEntry[] = []): StoredEvent[] {
    const now = this.#deps.clock.monotonic();
    const changes: StoredEvent[] = [];
    let last = this.#revision;
    for (const event of events) {
      const revision = numberOf(event.kv.mod_revision);
      // A resumed stream begins with the last seen revision.
      if (revision <= this.#revision) continue;
      if (revision > last) this.#appliedRevisions += 1;
      last = revision;
      const change = this.#applyOne(event, revision, now);
      if (change instanceof UnreadableEntry) blocked.push(change);
      else if (change !== undefined) changes.push(change);
    }
    this.#revision = last;
    return changes;
  }

  announce(): void {
    this.waiters.reached(this.#revision);
  }

  #applyOne(event: EtcdEvent, revision: Revision, now: number): StoredEvent | UnreadableEntry | undefined {
    const address = this.#deps.keys.parse(event.kv.key);
    if (address === undefined && event.type === 0)
      this.#compactedAt = Math.max(this.#compactedAt, compactionIn(event.kv, this.#deps.keys));
    if (address === undefined || address.key === '') return undefined;
    const collection = this.collection(address.collection);
    const { id } = collection;
    if (event.type === 0) {
      const entry = this.#deps.entries.read(id, address.key, event.kv);
      if (entry instanceof UnreadableEntry) {
        collection.block(entry, revision, now);
        return entry;
      }
      const previous = collection.change(entry.key, entry, revision, now);
      return { type: 'put', revision, collection: id, key: entry.key, entry, previous };
    }
    const previous = collection.change(address.key, undefined, revision, now);
    return previous === undefined ? undefined : deletion(previous, revision);
  }
}

/** The event of a deletion: the last state with the revision of the deletion. */
export function deletion(previous: Entry, revision: Revision): StoredEvent {
  const { collection, key, bytes } = previous;
  const entry = new StoredEntry({ collection, key, modRevision: revision, bytes, mark: 0 });
  return { type: 'delete', revision, collection, key, entry, previous };
}
