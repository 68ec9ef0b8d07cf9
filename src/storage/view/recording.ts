/** Changes of a collection while it is loaded again, to bring what was loaded up to the revision of the view. */
import type { Entry, ObjectKey, Revision } from '../types.ts';
import type { CollectionView } from './collection.ts';
import { UnreadableEntry } from './entry-reader.ts';

/** More are not kept; loading everything is then cheaper. */
const mostChanges = 100_000;

export interface RecordedChange {
  readonly key: ObjectKey;
  readonly revision: Revision;
  /** undefined for a deletion. */
  readonly state: Entry | UnreadableEntry | undefined;
}

export class Recording {
  readonly #onClose: () => void;
  #changes: RecordedChange[] = [];
  #isFull = false;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** Changes are missing, because there were too many. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(change: RecordedChange): void {
    if (this.#changes.length < mostChanges) this.#changes.push(change);
    else this.#isFull = true;
  }

  /** Changes come that are not told. */
  miss(): void {
    this.#isFull = true;
  }

  /** Number of changes to take. */
  get size(): number {
    return this.#changes.length;
  }

  /** The changes so far, in order; they are given once. */
  take(): readonly RecordedChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  close(): void {
    this.#onClose();
  }
}

/** Applies a recorded change to another state of the collection. */
export function applyRecorded(collection: CollectionView, change: RecordedChange, now: number): void {
  const { key, revision, state } = change;
  if (state instanceof UnreadableEntry) collection.block(state, revision, now);
  else collection.change(key, state, revision, now);
}
