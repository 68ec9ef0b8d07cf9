/** The current state of one collection, and how it hands out snapshots. */
import { sizeOf } from '../size.ts';
import type { CollectionId, CollectionSnapshot, Entry, ObjectKey, Revision } from '../types.ts';
import { AttributeIndexes } from './attribute-indexes.ts';
import { KeptStates, type KeptStatesLimits } from './kept-states.ts';
import { newTree, sortedEntries, TreeSnapshot, type StateTree } from './state-tree.ts';

/** An earlier state as it was read from etcd. */
export interface ReadState {
  readonly tree: StateTree;
  readonly ownBytes: number;
}

export class CollectionView {
  readonly id: CollectionId;
  readonly kept: KeptStates;
  #tree: StateTree = newTree();
  /** A copy of the current tree that was handed out; the next change leaves it alone. */
  #frozen: StateTree | undefined;
  #snapshot: CollectionSnapshot | undefined;
  /** A list has shown the current state, so it is worth keeping. */
  #isListed = false;
  /** No change happened after this revision. */
  #changedAt: Revision;
  #churn = 0;
  readonly #indexes = new AttributeIndexes({
    size: () => this.#tree.size,
    get: (key) => this.#tree.get(key),
    frozen: () => sortedEntries(this.#freeze()),
  });

  constructor(id: CollectionId, since: Revision, limits: KeptStatesLimits) {
    this.id = id;
    this.#changedAt = since;
    this.kept = new KeptStates(limits);
  }

  get size(): number {
    return this.#tree.size;
  }

  get churn(): number {
    return this.#churn;
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#tree.get(key);
  }

  /** While loading: no earlier state is worth keeping. */
  load(entry: Entry): void {
    this.#tree.set(entry.key, entry);
  }

  /** Puts an entry or, with undefined, removes the key. Gives what was there. */
  change(key: ObjectKey, entry: Entry | undefined, revision: Revision, now: number): Entry | undefined {
    this.#keepListed(revision, now);
    const previous = this.#tree.get(key);
    if (entry === undefined) this.#tree.delete(key);
    else this.#tree.set(key, entry);
    this.#indexes.change(previous, entry);
    if (previous !== undefined) this.#churn += sizeOf(previous);
    previous?.pass?.();
    this.#changedAt = revision;
    return previous;
  }

  /** The current state as of `revision`, the view's. O(1). */
  snapshot(revision: Revision): CollectionSnapshot {
    if (this.#snapshot?.revision !== revision) {
      this.#snapshot = this.#snapshotOf(this.#freeze(), revision);
    }
    return this.#snapshot;
  }

  /** Like `snapshot`, and the state stays readable by its revision for a while. */
  listed(revision: Revision): CollectionSnapshot {
    this.#isListed = true;
    return this.snapshot(revision);
  }

  /** The state at an earlier revision when it is still at hand; `current` is the view's revision. */
  stateAt(revision: Revision, current: Revision): CollectionSnapshot | undefined {
    if (revision > current) return undefined;
    if (revision >= this.#changedAt) {
      if (revision === current) return this.listed(revision);
      this.#isListed = true;
      return this.#snapshotOf(this.#freeze(), revision);
    }
    const tree = this.kept.find(revision);
    return tree && this.#snapshotOf(tree, revision);
  }

  /** Keeps a state that was read from etcd; `ownBytes` of it are in no entry of the current state. */
  keepRead(revision: Revision, { tree, ownBytes }: ReadState, now: number): void {
    this.kept.keep({ from: revision, to: revision, tree, ownBytes, churn: this.#churn }, now);
  }

  #freeze(): StateTree {
    return (this.#frozen ??= this.#tree.clone());
  }

  #snapshotOf(tree: StateTree, revision: Revision): CollectionSnapshot {
    return new TreeSnapshot({ collection: this.id, revision }, tree, (of) =>
      of === this.#frozen ? this.#indexes : undefined,
    );
  }

  #keepListed(revision: Revision, now: number): void {
    if (this.#frozen !== undefined && this.#isListed && revision > this.#changedAt) {
      const span = { from: this.#changedAt, to: revision - 1 };
      this.kept.keep({ ...span, tree: this.#frozen, ownBytes: 0, churn: this.#churn }, now);
    }
    this.#frozen = undefined;
    this.#snapshot = undefined;
    this.#isListed = false;
  }
}
