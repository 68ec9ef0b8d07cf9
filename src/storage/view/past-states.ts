/**
 * Cache of earlier states of a collection that lists have returned, for the next chunks of these lists and for exact
 * reads. A state is valid from the revision of its last change up to the next change. Bounded by number, age since it
 * was cached (regardless of use), compaction and retained bytes; the oldest is evicted first.
 */
import type { Revision } from '../types.ts';
import type { StateTree } from './state-tree.ts';
import type { UnreadableObjects } from './unreadable-objects.ts';

export interface PastStatesLimits {
  readonly maxPastStates: number;
  readonly maxPastStateBytes: number;
  readonly maxAgeMs: number;
}

/** A state, whatever its revision. */
export interface StateOfTree {
  readonly tree: StateTree;
  /** Objects that are missing in the tree because they could not be read; absent if none is. */
  readonly unreadable?: UnreadableObjects | undefined;
}

interface PastState extends StateOfTree {
  readonly from: Revision;
  readonly to: Revision;
  /** It has only the objects whose keys have this prefix; absent: all. */
  readonly within?: string;
  /**
   * Bytes replaced in the collection up to then: the difference to the current value bounds the bytes that only this
   * state retains.
   */
  readonly churn: number;
  /** Bytes that were never part of the current state, of a state read from etcd. */
  readonly ownBytes: number;
  readonly addedAt: number;
}

/** The current progress. */
export interface Progress {
  readonly churn: number;
  readonly now: number;
  /** Earlier revisions are compacted and no longer readable. */
  readonly compactedAt: Revision;
}

export class PastStates {
  readonly #limits: PastStatesLimits;
  /** Oldest first. */
  readonly #states = new Set<PastState>();
  #ownBytes = 0;

  constructor(limits: PastStatesLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#states.size;
  }

  /** Caches a state of the collection (`ownBytes` 0) or one read from etcd. */
  keep(state: Omit<PastState, 'addedAt'>, now: number): void {
    this.#states.add({ ...state, addedAt: now });
    this.#ownBytes += state.ownBytes;
    this.trim({ churn: state.churn, now, compactedAt: 0 });
  }

  /** The state at `revision`, if cached with all objects whose keys have the prefix `within`. */
  find(revision: Revision, within: string): StateOfTree | undefined {
    for (const state of this.#states) {
      const isThen = state.from <= revision && revision <= state.to;
      if (isThen && within.startsWith(state.within ?? '')) return state;
    }
    return undefined;
  }

  /** Bytes that the states retain at most. */
  bytesAt(churn: number): number {
    const [oldest] = this.#states;
    return oldest === undefined ? 0 : churn - oldest.churn + this.#ownBytes;
  }

  /** Evicts states that are too old or retain too much: more than the limit, or `most`. */
  trim({ churn, now, compactedAt }: Progress, most = Infinity): void {
    const { maxPastStates, maxAgeMs } = this.#limits;
    const maxPastStateBytes = Math.min(most, this.#limits.maxPastStateBytes);
    let newer = this.#states.size;
    for (const state of this.#states) {
      const isOver = now - state.addedAt > maxAgeMs || state.to < compactedAt;
      const isTooMuch =
        this.#states.size > maxPastStates || churn - state.churn + this.#ownBytes > maxPastStateBytes;
      // The newest state read from etcd is kept regardless of size: otherwise each chunk of its list would read it
      // again.
      newer -= 1;
      const isNeeded = newer === 0 && state.ownBytes > 0;
      if (isOver || (isTooMuch && !isNeeded)) this.#drop(state);
    }
  }

  #drop(state: PastState): void {
    this.#states.delete(state);
    this.#ownBytes -= state.ownBytes;
  }
}
