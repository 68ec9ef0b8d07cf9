/**
 * Earlier states of one collection that a list has shown, so that the list's next chunks and exact reads find
 * them. A state is valid over a span of revisions: from the change that made it to the one before the next.
 * Bounded by number, age and the bytes it keeps from being collected; the state used longest ago goes first.
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
  /** Bytes replaced in the collection up to then: the difference to now bounds what only this state holds. */
  readonly churn: number;
  usedAt: number;
}

export class KeptStates {
  readonly #limits: KeptStatesLimits;
  /** In order of last use. */
  readonly #states = new Set<KeptState>();

  constructor(limits: KeptStatesLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#states.size;
  }

  keep(state: Omit<KeptState, 'usedAt'>, now: number): void {
    this.#states.add({ ...state, usedAt: now });
    this.trim(state.churn, now);
  }

  /** The state at `revision`, if kept. */
  find(revision: Revision, now: number): StateTree | undefined {
    for (const state of this.#states) {
      if (state.from <= revision && revision <= state.to) {
        this.#states.delete(state);
        state.usedAt = now;
        this.#states.add(state);
        return state.tree;
      }
    }
    return undefined;
  }

  /** Drops what is too old or holds too much, given the collection's churn until now. */
  trim(churn: number, now: number): void {
    const { keptStates, keptBytes, keptMs } = this.#limits;
    for (const state of this.#states) {
      const isTooMuch = this.#states.size > keptStates;
      if (isTooMuch || now - state.usedAt > keptMs || churn - state.churn > keptBytes)
        this.#states.delete(state);
    }
  }
}
