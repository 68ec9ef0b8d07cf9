/** The current state of a collection and its snapshots. */
import { sizeOf } from '../size.ts';
import type { CollectionId, Entry, ObjectKey, Revision } from '../types.ts';
import type { UnreadableEntry } from './entry-reader.ts';
import { UnreadableObjects } from './unreadable-objects.ts';
import { AttributeIndexes } from './attribute-indexes.ts';
import { Digest } from './digest.ts';
import { PastStates, type PastStatesLimits, type StateOfTree } from './past-states.ts';
import { StateTree } from './state-tree.ts';
import { TreeSnapshot } from './tree-snapshot.ts';

/** An earlier state that was read from etcd. */
export interface ReadState {
  readonly tree: StateTree;
  readonly ownBytes: number;
  /** It has only the objects whose keys have this prefix; absent: all. */
  readonly within?: string;
}

/** The keys and revisions of a collection at a revision, to be compared with those of etcd. Later changes do not affect it. */
export interface PinnedCollection {
  readonly id: CollectionId;
  readonly digest: Digest;
  readonly tree: StateTree;
  readonly unreadable: UnreadableObjects;
}

export interface CollectionLimits extends PastStatesLimits {
  /** Objects of entries of fewer are all kept, with what readers note of them. Default: 2,000 */
  readonly leastFolded?: number;
}

const defaultLeastFolded = 2_000;

export class CollectionView {
  readonly id: CollectionId;
  readonly pastStates: PastStates;
  readonly unreadable: UnreadableObjects;
  /** Somebody has asked for it since the last sweep of the view. */
  isUsed = true;
  /** Of all objects, readable or not. */
  readonly #digest: Digest;
  #tree: StateTree;
  /** A copy of the current tree in a snapshot; not affected by later changes. */
  #frozen: StateTree | undefined;
  #snapshot: TreeSnapshot | undefined;
  /** A list has returned the current state, so it is cached after a change. */
  #isListed = false;
  /** Revision of the last change. */
  #changedAt: Revision;
  #churn = 0;
  readonly #leastFolded: number;
  /** Position in the tree up to which `foldLoaded` has looked. */
  #foldedTo = 0;
  readonly #indexes = new AttributeIndexes({
    size: () => this.#tree.size,
    get: (key) => this.#tree.get(key),
    frozen: () => this.#freeze().range(0, Infinity),
  });

  /** @param pinned what it begins with, of another view; default: nothing */
  constructor(id: CollectionId, since: Revision, limits: CollectionLimits, pinned?: PinnedCollection) {
    this.id = id;
    this.#changedAt = since;
    this.pastStates = new PastStates(limits);
    this.#leastFolded = limits.leastFolded ?? defaultLeastFolded;
    this.unreadable = pinned?.unreadable.copy() ?? new UnreadableObjects();
    this.#digest = pinned?.digest.copy() ?? new Digest();
    this.#tree = pinned?.tree.clone() ?? new StateTree();
  }

  get size(): number {
    return this.#tree.size;
  }

  get isEmpty(): boolean {
    return this.#tree.size === 0 && this.unreadable.size === 0;
  }

  /** It has been empty since before this revision, and has no earlier states. */
  wasEmptyBefore(revision: Revision): boolean {
    return this.isEmpty && this.#changedAt < revision && this.pastStates.size === 0;
  }

  get churn(): number {
    return this.#churn;
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#tree.get(key);
  }

  /** The revision of the current object, readable or not; 0 if there is none. */
  revisionOf(key: ObjectKey): Revision {
    return this.#tree.get(key)?.modRevision ?? this.unreadable.revisionOf(key);
  }

  /** The object in the current state. @throws StorageError `unreadable` */
  readable(key: ObjectKey): Entry | undefined {
    const entry = this.get(key);
    if (entry === undefined) this.unreadable.assertReadable(key);
    return entry;
  }

  /** Adds an unreadable object while loading. */
  loadUnreadable(entry: UnreadableEntry): void {
    this.#setUnreadable(entry);
  }

  /** The object cannot be read any more: as far as readers see, it is gone, but reads of it fail. */
  block(entry: UnreadableEntry, revision: Revision, now: number): void {
    this.change(entry.key, undefined, revision, now);
    this.#setUnreadable(entry);
  }

  #setUnreadable(entry: UnreadableEntry): void {
    const { key, modRevision } = entry;
    this.#digest.replace(key, this.unreadable.revisionOf(key), modRevision);
    this.unreadable.set(entry);
  }

  /** Adds an entry while loading; earlier states are not cached. */
  load(entry: Entry): void {
    const { key, modRevision } = entry;
    const before = this.#tree.get(key)?.modRevision ?? 0;
    this.#tree.set(entry);
    this.#digest.replace(key, before, modRevision);
  }

  /** What was loaded up to now keeps no objects that can be made again, if there is much of it. Takes time for what was added. */
  foldLoaded(): void {
    if (this.#tree.size < this.#leastFolded) return;
    this.#foldedTo = this.#tree.fold(this.#foldedTo);
  }

  /** Puts an entry, or deletes the key if undefined. Returns the previous entry. */
  change(key: ObjectKey, entry: Entry | undefined, revision: Revision, now: number): Entry | undefined {
    this.#keepListed(revision, now);
    const previous = this.#tree.kept(key);
    const before = previous?.modRevision ?? this.unreadable.revisionOf(key);
    this.#digest.replace(key, before, entry?.modRevision ?? 0);
    this.unreadable.delete(key);
    if (entry === undefined) this.#tree.delete(key);
    else this.#tree.set(entry);
    this.#indexes.change(previous, entry);
    if (previous !== undefined) this.#churn += sizeOf(previous);
    previous?.pass?.();
    this.#changedAt = revision;
    return previous;
  }

  /** It has what another view had; false if that is not known. O(1). */
  isStill({ tree, unreadable }: PinnedCollection): boolean {
    return this.#tree.shares(tree) && this.unreadable.size === 0 && unreadable.size === 0;
  }

  /** All objects that can be read, in the order of their keys; later changes do not affect it. */
  entries(): Iterable<Entry> {
    return this.#freeze().range(0, Infinity);
  }

  /** What it has now. O(1). */
  pinned(): PinnedCollection {
    const { id, unreadable } = this;
    return { id, digest: this.#digest.copy(), tree: this.#freeze(), unreadable: unreadable.copy() };
  }

  /** The current state at `revision` of the view. O(1). */
  snapshot(revision: Revision): TreeSnapshot {
    if (this.#snapshot?.revision !== revision) this.#snapshot = this.#currentAt(revision);
    return this.#snapshot;
  }

  /** Like `snapshot`, but the state remains readable by its revision for a while. */
  listed(revision: Revision): TreeSnapshot {
    this.#isListed = true;
    return this.snapshot(revision);
  }

  /**
   * The state at an earlier revision, if cached, as far as keys have the prefix `within`; `current` is the revision of the
   * view.
   */
  stateAt(revision: Revision, current: Revision, within = ''): TreeSnapshot | undefined {
    if (revision > current) return undefined;
    if (revision >= this.#changedAt) {
      if (revision === current) return this.listed(revision);
      this.#isListed = true;
      return this.#currentAt(revision);
    }
    const past = this.pastStates.find(revision, within);
    return past && this.#snapshotOf(past, revision);
  }

  /** Caches a state that was read from etcd; `ownBytes` of it are not shared with the current state. */
  keepRead(revision: Revision, state: ReadState, now: number): void {
    this.pastStates.keep({ from: revision, to: revision, ...state, churn: this.#churn }, now);
  }

  #freeze(): StateTree {
    return (this.#frozen ??= this.#tree.clone());
  }

  #currentAt(revision: Revision): TreeSnapshot {
    return this.#snapshotOf({ tree: this.#freeze(), unreadable: this.#frozenUnreadable() }, revision);
  }

  /** A copy: an object that can be read later is still missing in a state that lacks it. */
  #frozenUnreadable(): UnreadableObjects | undefined {
    return this.unreadable.size > 0 ? this.unreadable.copy() : undefined;
  }

  #snapshotOf({ tree, unreadable }: StateOfTree, revision: Revision): TreeSnapshot {
    const { id: collection } = this;
    return new TreeSnapshot({ collection, revision, unreadable }, tree, (of) =>
      of === this.#frozen ? this.#indexes : undefined,
    );
  }

  #keepListed(revision: Revision, now: number): void {
    if (this.#frozen !== undefined && this.#isListed && revision > this.#changedAt) {
      const span = { from: this.#changedAt, to: revision - 1 };
      const state = { tree: this.#frozen, unreadable: this.#frozenUnreadable() };
      this.pastStates.keep({ ...span, ...state, ownBytes: 0, churn: this.#churn }, now);
    }
    this.#frozen = undefined;
    this.#snapshot = undefined;
    this.#isListed = false;
  }
}
