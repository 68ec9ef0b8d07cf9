/**
 * The view (watch cache) of a replica: the state of every collection at one revision. Only the follower changes it,
 * one complete revision at a time; others read it and may wait for a revision.
 */
import type { Clock } from '../../base/clock.ts';
import { ownMemory } from '../../base/own-memory.ts';
import type { EtcdEvent, KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeySpace, ObjectAddress } from '../keys.ts';
import type { StorageLimits } from '../options.ts';
import type { CollectionId, Entry, Revision, StoredEvent } from '../types.ts';
import { CollectionView, type PinnedCollection } from './collection.ts';
import { Recording, type RecordedChange } from './recording.ts';
import { compactionIn, pastNameIn, ViewDraft } from './view-draft.ts';
import { UnreadableEntry, type EntryReader } from './entry-reader.ts';
import { MessagePacks, type ItemHead } from './packing.ts';
import { StoredEntry } from './stored-entry.ts';
import { RevisionWaiters } from './revision-waiters.ts';

export interface ViewDependencies {
  readonly keys: KeySpace;
  readonly entries: Pick<EntryReader, 'prepare' | 'read' | 'readLoose'>;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  /** Of the texts of a state that is loaded; absent: each has memory of its own. */
  readonly itemHead?: ItemHead | undefined;
}

/** All keys and revisions of the view at one revision. Later changes do not affect it. */
export interface PinnedView {
  readonly revision: Revision;
  readonly loadedAt: Revision;
  readonly collections: ReadonlyMap<CollectionId, PinnedCollection>;
}

/** Changes that cannot be shown. */
export interface Unshown {
  /** Objects were written in a form that cannot be read. */
  readonly unreadable: UnreadableEntry[];
  /** Objects in such a form were replaced or removed: from what they changed is not known. */
  readonly uncovered: UnreadableEntry[];
}

/** A collection that waits for the next revision. */
interface Adoption {
  readonly collection: CollectionView;
  readonly complete: () => boolean;
}

/** A collection that another state took the place of; undefined where there was none. */
export interface ReplacedCollection {
  readonly id: CollectionId;
  readonly before: CollectionView | undefined;
  readonly after: CollectionView;
}

/** The past of etcd that a view belongs to. */
export interface PastOfView {
  /** As `EtcdClient.epoch`. */
  readonly epoch: number;
  /** The name that etcd keeps of it (`past-name.ts`); undefined if it keeps none. */
  readonly name: string | undefined;
}

interface ApplyParts {
  readonly now: number;
  readonly unshown: Unshown;
  readonly packs: MessagePacks | undefined;
}

export class View {
  /** Texts that change together lie in one piece of memory; false where each is given to other threads, or came from one. */
  packsChanges = true;
  readonly waiters: RevisionWaiters;
  /** Resolved when the view belongs to a past. */
  readonly pastWaiters: RevisionWaiters;
  readonly #deps: ViewDependencies;
  #collections = new Map<CollectionId, CollectionView>();
  #revision: Revision = 0;
  #loadedAt: Revision = 0;
  #appliedRevisions = 0;
  #compactedAt: Revision = 0;
  #lateEvents = 0;
  readonly #recordings = new Map<CollectionId, Recording>();
  readonly #trustedFrom = new Map<CollectionId, Revision>();
  /** Collections that differ from etcd, until they are loaded again. */
  readonly #distrusted = new Set<CollectionId>();
  /** The compaction at which idle collections were dropped last. */
  #sweptAt: Revision = 0;
  #adoption: Adoption | undefined;
  #adopted: CollectionId | undefined;
  #past: PastOfView = { epoch: 0, name: undefined };

  constructor(deps: ViewDependencies) {
    this.#deps = deps;
    this.waiters = new RevisionWaiters(deps.clock);
    this.pastWaiters = new RevisionWaiters(deps.clock);
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

  /**
   * History of the collection before this revision is not to be shown: events were missing in the view. 0 if all of it
   * may be.
   */
  trustedFrom(id: CollectionId): Revision {
    return this.#trustedFrom.get(id) ?? 0;
  }

  /** Number of events that came behind newer ones, and were skipped. */
  get lateEvents(): number {
    return this.#lateEvents;
  }

  get past(): PastOfView {
    return this.#past;
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
    collection.isUsed = true;
    return collection;
  }

  /**
   * Once after each compaction: drops the collections that have been empty since before it and that nobody has used since
   * the last one. Definitions of custom resources come and go; used again, such a collection begins as empty as it is.
   * @returns whether there was a compaction
   */
  sweep(): boolean {
    if (this.#sweptAt === this.#compactedAt) return false;
    this.#sweptAt = this.#compactedAt;
    for (const [id, collection] of this.#collections) {
      const isHeld = this.#distrusted.has(id) || this.#recordings.has(id);
      if (!isHeld && !collection.isUsed && collection.wasEmptyBefore(this.#compactedAt))
        this.#collections.delete(id);
      collection.isUsed = false;
    }
    return true;
  }

  collections(): Iterable<CollectionView> {
    return this.#collections.values();
  }

  /** It has a state, and none of its collections is known to differ from etcd. */
  get isTrusted(): boolean {
    return this.#loadedAt > 0 && this.#distrusted.size === 0;
  }

  /** O(1) per collection. */
  pinned(): PinnedView {
    const collections = [...this.#collections.values()].map((collection) => collection.pinned());
    return {
      revision: this.#revision,
      loadedAt: this.#loadedAt,
      collections: new Map(collections.map((pinned) => [pinned.id, pinned])),
    };
  }

  /** The collection differs from etcd: its history before it is loaded again is not to be shown then. */
  distrust(id: CollectionId): void {
    this.#distrusted.add(id);
  }

  /** Keeps the changes of a collection from now on; the caller closes it. */
  record(id: CollectionId): Recording {
    const recording = new Recording(() => this.#recordings.delete(id));
    this.#recordings.set(id, recording);
    return recording;
  }

  /**
   * Puts another state of a collection in its place with the next revision, so that no reader has seen the collection
   * at that revision before. History before it is not to be shown. `complete` is called just before: it brings the
   * state up to the next revision, or gives false if that cannot be done.
   */
  adoptNext(collection: CollectionView, complete: () => boolean): void {
    this.#adoption = { collection, complete };
  }

  /** What `adoptNext` was given is no longer wanted. */
  dropAdoption(): void {
    this.#adoption = undefined;
  }

  /** The collection that `apply` has put in its place; it is told once. */
  takeAdopted(): CollectionId | undefined {
    const adopted = this.#adopted;
    this.#adopted = undefined;
    return adopted;
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

  /** Replaces the view by a loaded state of a past and resolves waiters. */
  replaceBy(draft: ViewDraft, past: PastOfView): void {
    this.#collections = draft.collections;
    this.dropAdoption();
    const isSame = past.epoch === this.#past.epoch;
    this.#compactedAt = isSame ? Math.max(this.#compactedAt, draft.compactedAt) : draft.compactedAt;
    this.#past = past;
    this.#loadedAt = draft.revision;
    this.#revision = draft.revision;
    // Revisions of an etcd that was restored start over.
    for (const [id, revision] of this.#trustedFrom)
      if (revision > draft.revision) this.#trustedFrom.delete(id);
    for (const id of this.#distrusted) this.#trustedFrom.set(id, draft.revision);
    this.#distrusted.clear();
    this.waiters.reached(draft.revision);
    this.pastWaiters.reached(past.epoch);
  }

  /**
   * Applies events of complete revisions in order. Returns the changes; `announce` resolves the waiters once the
   * event rings contain them. What cannot be shown is added to `unshown` instead. Events that were applied
   * before, or are older than one that was, are skipped: revisions never go back.
   */
  apply(events: readonly EtcdEvent[], unshown: Unshown = { unreadable: [], uncovered: [] }): StoredEvent[] {
    const now = this.#deps.clock.monotonic();
    const { itemHead } = this.#deps;
    const packs = itemHead && this.packsChanges ? new MessagePacks(itemHead, ownMemory) : undefined;
    const changes: StoredEvent[] = [];
    let last = this.#revision;
    for (const event of events) {
      const revision = numberOf(event.kv.mod_revision);
      // A resumed stream begins with the last seen revision.
      if (revision <= this.#revision || revision < last) {
        if (revision < last) this.#lateEvents += 1;
        continue;
      }
      if (revision > last) this.#appliedRevisions += 1;
      else if (this.#has(event, revision)) continue;
      last = revision;
      const change = this.#applyOne(event, { now, unshown, packs });
      if (change !== undefined) changes.push(change);
    }
    packs?.end();
    const isNew = last > this.#revision;
    this.#revision = last;
    if (isNew && this.#adoption !== undefined) this.#adopt(this.#adoption);
    return changes;
  }

  /**
   * Collections become what they were in another state, with what differs now; the revisions of what differs may be older. O(1)
   * per collection. Earlier revisions cannot be read any more.
   * @returns those that changed
   */
  takeOver(
    known: ReadonlyMap<CollectionId, PinnedCollection>,
    events: readonly EtcdEvent[],
    revision: Revision,
  ): ReplacedCollection[] {
    const replaced: ReplacedCollection[] = [];
    const ids = new Set([...this.#collections.keys(), ...known.keys()]);
    for (const id of ids) {
      const before = this.#collections.get(id);
      const pinned = known.get(id);
      if (pinned === undefined ? before?.isEmpty : before?.isStill(pinned)) continue;
      const after = new CollectionView(id, revision, this.#deps.limits, pinned);
      this.#collections.set(id, after);
      replaced.push({ id, before, after });
    }
    this.dropAdoption();
    for (const recording of this.#recordings.values()) recording.miss();
    for (const event of events) this.#bring(event, revision);
    this.#revision = revision;
    this.#compactedAt = revision;
    this.#appliedRevisions += 1;
    return replaced;
  }

  /** Makes a key what it is now. */
  #bring({ type, kv }: EtcdEvent, revision: Revision): void {
    const address = this.#deps.keys.parse(kv.key);
    if (address === undefined || address.key === '') return;
    const collection = this.collection(address.collection);
    const isAt = type === 0 ? numberOf(kv.mod_revision) : 0;
    if (collection.revisionOf(address.key) === isAt) return;
    const entry = type === 0 ? this.#deps.entries.read(collection.id, address.key, kv) : undefined;
    const now = this.#deps.clock.monotonic();
    if (entry instanceof UnreadableEntry) collection.block(entry, revision, now);
    else collection.change(address.key, entry, revision, now);
  }

  #adopt({ collection, complete }: Adoption): void {
    this.#adoption = undefined;
    if (!complete()) return;
    const { id } = collection;
    this.#collections.set(id, collection);
    this.#trustedFrom.set(id, this.#revision);
    this.#distrusted.delete(id);
    this.#adopted = id;
  }

  announce(): void {
    this.waiters.reached(this.#revision);
  }

  /** The event came twice. */
  #has({ kv: { key: bytes } }: EtcdEvent, revision: Revision): boolean {
    const address = this.#deps.keys.parse(bytes);
    return (
      address !== undefined && this.#collections.get(address.collection)?.revisionOf(address.key) === revision
    );
  }

  #applyOne(event: EtcdEvent, { now, unshown, packs }: ApplyParts): StoredEvent | undefined {
    const { kv } = event;
    const address = this.#deps.keys.parse(kv.key);
    if (address === undefined && event.type === 0) this.#noteOwnKey(kv);
    if (address === undefined || address.key === '') return undefined;
    const revision = numberOf(kv.mod_revision);
    const collection = this.collection(address.collection);
    const hidden = collection.unreadable.get(address.key);
    const entry = event.type === 0 ? this.#read(address, kv, packs) : undefined;
    this.#note(collection.id, { key: address.key, revision, state: entry });
    if (entry instanceof UnreadableEntry) {
      collection.block(entry, revision, now);
      unshown.unreadable.push(entry);
      return undefined;
    }
    const key = entry?.key ?? address.key;
    const previous = collection.change(key, entry, revision, now);
    if (hidden !== undefined) unshown.uncovered.push(hidden);
    else if (entry !== undefined)
      return { type: 'put', revision, collection: collection.id, key, entry, previous };
    else if (previous !== undefined) return deletion(previous, revision);
    return undefined;
  }

  #read(
    { collection, key }: ObjectAddress,
    kv: KeyValue,
    packs: MessagePacks | undefined,
  ): StoredEntry | UnreadableEntry {
    const { entries } = this.#deps;
    if (packs === undefined) return entries.read(collection, key, kv);
    const entry = entries.readLoose(collection, key, kv);
    if (entry instanceof StoredEntry) packs.add(entry);
    return entry;
  }

  /** Keys of this room. */
  #noteOwnKey(kv: EtcdEvent['kv']): void {
    this.#compactedAt = Math.max(this.#compactedAt, compactionIn(kv, this.#deps.keys));
    const name = pastNameIn(kv, this.#deps.keys);
    if (name !== undefined) this.#past = { ...this.#past, name };
  }

  #note(id: CollectionId, change: RecordedChange): void {
    if (this.#recordings.size > 0) this.#recordings.get(id)?.add(change);
  }
}

/** The event of a deletion: the last state with the revision of the deletion. */
export function deletion(previous: Entry, revision: Revision): StoredEvent {
  const { collection, key, bytes } = previous;
  const entry = new StoredEntry({ collection, key, modRevision: revision, bytes, mark: 0 });
  return { type: 'delete', revision, collection, key, entry, previous };
}
