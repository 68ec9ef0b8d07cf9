/**
 * What open watches keep of their selectors. A URL has room for some thousand requirements, which take a hundred times
 * their text in memory for as long as the watch lasts. Equal selectors are kept once; others share a room.
 */
import type { Clock } from '../../base/clock.ts';
import { FairBudget, type FairBudgetLimits } from '../../base/fair-budget.ts';
import { tooManyRequests } from '../../meta/status.ts';
import { compileSelection, type Selection } from '../read/selection.ts';
import type { RequestScope, ServedResource, WatchQuery } from '../types.ts';

const megabyte = 1024 * 1024;
const usualLimits: FairBudgetLimits = { total: 128 * megabyte, perFlow: 64 * megabyte, maxWaiting: 0 };
/** What a watch may keep without room: less than the watch itself takes. */
const freeBytes = 4_096;

type Selectors = Pick<WatchQuery, 'labelSelector' | 'fieldSelector'>;

/** A selection that watches keep. */
interface Kept {
  readonly selection: Selection;
  /** The user whose part of the room it takes: that of the first watch. */
  readonly user: string;
  holders: number;
}

/** One of a registry. */
export class SelectorRoom {
  readonly #budget: FairBudget;
  readonly #kept = new WeakMap<ServedResource, Map<string, Kept>>();

  constructor(clock: Clock, limits = usualLimits) {
    this.#budget = new FairBudget(limits, clock, 'bytes of selectors');
  }

  /** Bytes that are taken. */
  get inUse(): number {
    return this.#budget.inUse;
  }

  /**
   * The selection of a watch; what it takes is given back with the end of the request. Callers of this program, whose
   * requests have no event of their end, need no room.
   * @throws StatusError 400 as `compileSelection`, 429 without room
   */
  selectionFor(
    { resource, lifetime, user }: Pick<RequestScope, 'resource' | 'lifetime' | 'user'>,
    { labelSelector, fieldSelector }: Selectors,
  ): Selection {
    const name = JSON.stringify([labelSelector, fieldSelector]);
    const known = this.#kept.get(resource)?.get(name);
    const selection = known?.selection ?? compileSelection(resource, labelSelector, fieldSelector);
    const { bytes } = selection;
    if (bytes <= freeBytes || lifetime?.onClose === undefined) return selection;
    if (!known && !this.#budget.tryTake(user.name, bytes))
      throw tooManyRequests('too many watches with long selectors are open, please try again later', 1);
    const kept = known ?? { selection, user: user.name, holders: 0 };
    const ofResource = this.#ofResource(resource).set(name, kept);
    kept.holders += 1;
    lifetime.onClose(() => {
      kept.holders -= 1;
      if (kept.holders > 0) return;
      ofResource.delete(name);
      this.#budget.give(kept.user, bytes);
    });
    return selection;
  }

  #ofResource(resource: ServedResource): Map<string, Kept> {
    const known = this.#kept.get(resource) ?? new Map<string, Kept>();
    this.#kept.set(resource, known);
    return known;
  }
}
