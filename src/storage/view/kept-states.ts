/**
 * Earlier states of one collection that a list has shown, so that the list's next chunks and exact reads find
 * them. A state is valid over a span of revisions: from the change that made it to the one before the next.
 * Bounded by number, by age since it was kept (however often it is used), by compaction and by the bytes it keeps
 * from being collected; the oldest goes first.
 */
import type { Revision } from '../types.ts';
import type { StateTree } from './state-tree.ts';

export interface KeptStatesLimits {
  readonly keptStates: number;
  readonly keptBytes: number;
  readonly keptMs: number;
}

interface KeptState {
  readonly from: Revision;
  readonly to: Revision;
  readonly tree: StateTree;
  /** Bytes replaced in the collection up to then: the difference to now bounds what only this state holds of them. */
  readonly churn: number;
  /** Bytes that were never part of the collection's current state: those of a state that was read from etcd. */
  readonly ownBytes: number;
  readonly keptAt: number;
}

/** How far things are now. */
export interface Progress {
  readonly churn: number;
  readonly now: number;
  /** What came before this revision is no longer readable, here as in etcd. */
  readonly compactedAt: Revision;
}

export class KeptStates {
  readonly #limits: KeptStatesLimits;
  /** In order of age. */
  readonly #states = new Set<KeptState>();
  #ownBytes = 0;

  constructor(limits: KeptStatesLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#states.size;
  }

  /** A state that was the collection's own (`ownBytes` 0) or was read from etcd. */
  keep(state: Omit<KeptState, 'keptAt'>, now: number): void {
    this.#states.add({ ...state, keptAt: now });
    this.#ownBytes += state.ownBytes;
    this.trim({ churn: state.churn, now, compactedAt: 0 });
  }

  /** The state at `revision`, if kept. */
  find(revision: Revision): StateTree | undefined {
    for (const { from, to, tree } of this.#states) if (from <= revision && revision <= to) return tree;
    return undefined;
  }

  /** Drops what is too old or holds too much. */
  trim({ churn, now, compactedAt }: Progress): void {
    const { keptStates, keptBytes, keptMs } = this.#limits;
    let newer = this.#states.size;
    for (const state of this.#states) {
      const isOver = now - state.keptAt > keptMs || state.to < compactedAt;
      const isTooMuch = this.#states.size > keptStates || churn - state.churn + this.#ownBytes > keptBytes;
      // The newest that was read stays, whatever it holds: each chunk of its list would read the whole state again.
      newer -= 1;
      const isNeeded = newer === 0 && state.ownBytes > 0;
      if (isOver || (isTooMuch && !isNeeded)) this.#drop(state);
    }
  }

  #drop(state: KeptState): void {
    this.#states.delete(state);
    this.#ownBytes -= state.ownBytes;
  }
}
