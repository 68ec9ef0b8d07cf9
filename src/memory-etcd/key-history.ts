/** The versions of one key that are still readable, by revision. */
import { recordBytes } from './message-size.ts';
import type { StoredKeyValue } from './messages.ts';

/** A put (0) or a removal (1). */
export interface Change {
  readonly type: 0 | 1;
  /** The key as it is in the tree: making it of the bytes takes longer than all else that a watch does with a change. */
  readonly key: string;
  readonly kv: StoredKeyValue;
}

/** Who may change a history in place; states that share histories have owners of their own. */
export type Owner = object;

export class KeyHistory {
  readonly owner: Owner;
  /** In order; a transaction may change a key twice in one revision. */
  readonly #changes: Change[];

  constructor(owner: Owner, changes: Change[]) {
    this.owner = owner;
    this.#changes = changes;
  }

  /** Itself, or a copy that `owner` may change. */
  writableBy(owner: Owner): KeyHistory {
    return this.owner === owner ? this : new KeyHistory(owner, [...this.#changes]);
  }

  /** The key exists now. */
  get isLive(): boolean {
    return this.#changes.at(-1)?.type === 0;
  }

  /** Of all its versions. */
  get bytes(): number {
    return this.#changes.reduce((sum, { kv }) => sum + recordBytes(kv), 0);
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  add(change: Change): void {
    this.#changes.push(change);
  }

  /** The key at a revision; undefined if it did not exist. */
  at(revision: number): StoredKeyValue | undefined {
    const change = this.#changes[this.#indexAt(revision)];
    return change?.type === 0 ? change.kv : undefined;
  }

  /** Whether a reader at its revision still sees this change. */
  has(change: Change): boolean {
    return this.#changes[this.#indexAt(change.kv.mod_revision)] === change;
  }

  /**
   * Drops versions that no read at `revision` or later needs, and calls back for each. A removal goes, too, unless it
   * happened at `keepsRemovalAt`.
   */
  compact(revision: number, keepsRemovalAt: number, onDrop: (change: Change) => void): void {
    const last = this.#indexAt(revision);
    if (last < 0) return;
    const change = this.#changes[last];
    const isGone = change?.type === 1 && change.kv.mod_revision !== keepsRemovalAt;
    for (const dropped of this.#changes.splice(0, isGone ? last + 1 : last)) onDrop(dropped);
  }

  /** Index of the last change at or before a revision; -1 if there is none. Mostly the newest is asked for. */
  #indexAt(revision: number): number {
    const changes = this.#changes;
    let high = changes.length - 1;
    if (revisionOf(changes[high]) <= revision) return high;
    let low = -1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (revisionOf(changes[middle]) <= revision) low = middle;
      else high = middle;
    }
    return low;
  }
}

function revisionOf(change: Change | undefined): number {
  return change === undefined ? -Infinity : change.kv.mod_revision;
}
