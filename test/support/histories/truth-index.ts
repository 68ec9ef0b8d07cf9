/** The truth, indexed: to which past what a client was told belongs. */
import { PastIndex } from './past-index.ts';
import { isOfPast, sameStates } from './watched.ts';
import type {
  CollectionId,
  Freshness,
  GetRecord,
  ListRecord,
  Page,
  Point,
  State,
  Truth,
  WatchRecord,
} from './types.ts';

const known = new WeakMap<Truth, TruthIndex>();

/** What is to be attributed to a past. */
interface Told {
  readonly collection: CollectionId;
  readonly call: Point;
  readonly end: Point;
  readonly isFresh: boolean;
  /** States of which a past that nothing fits into has some. */
  readonly states: readonly State[];
  /** Whether somebody may have been told it in this past. */
  readonly fits: (past: PastIndex) => boolean;
}

export class TruthIndex {
  readonly pasts: readonly [PastIndex, ...PastIndex[]];
  readonly #ofWatches = new WeakMap<WatchRecord, readonly [PastIndex, ...PastIndex[]]>();

  private constructor(truth: Truth) {
    const [first, ...others] = truth.pasts.map((past) => new PastIndex(past));
    if (first === undefined) throw new Error('a truth has at least one past');
    this.pasts = [first, ...others];
  }

  /** Made once for a truth, which must not change any more. */
  static of(truth: Truth): TruthIndex {
    let index = known.get(truth);
    if (index === undefined) {
      index = new TruthIndex(truth);
      known.set(truth, index);
    }
    return index;
  }

  /** The past that was there at a point. */
  pastAt(at: Point): PastIndex {
    return this.pasts.findLast(({ past }) => past.from <= at) ?? this.pasts[0];
  }

  /** The pasts that a get may be of; one nearly always. */
  pastsOfGet(get: GetRecord): readonly [PastIndex, ...PastIndex[]] {
    const { collection, key, call, end, freshness, answer } = get;
    const state = 'found' in answer ? answer.found : undefined;
    const fits = (past: PastIndex): boolean => {
      if (state === undefined) return true;
      const next = past.stepsOf(collection, key)[past.stepsUpTo(collection, key, state.version)];
      const isLate = freshness.kind === 'exact' || (next?.revision ?? Infinity) > past.past.base;
      return isLate && past.had(collection, state);
    };
    const states = state === undefined ? [] : [state];
    return this.#attribute({ collection, call, end, isFresh: isFresh(freshness), states, fits });
  }

  /** The pasts that a list may be of, by what its first chunk says. */
  pastsOfList(
    { collection, filter, freshness, pages }: ListRecord,
    first: Page,
  ): readonly [PastIndex, ...PastIndex[]] {
    const items = pages.flatMap((page) => page.items);
    const { call, version } = first;
    const isWhole = pages.at(-1)?.continues !== true;
    const fits = (past: PastIndex): boolean => {
      const { head, base } = past.past;
      if (version > head || (freshness.kind !== 'exact' && version < base)) return false;
      const whole = past.stateAt(collection, filter, version);
      return sameStates(items, isWhole ? whole : whole.slice(0, items.length));
    };
    const end = pages.at(-1)?.end ?? first.end;
    return this.#attribute({ collection, call, end, states: items, isFresh: isFresh(freshness), fits });
  }

  /** The pasts that a watch may be of. */
  pastsOfWatch(watch: WatchRecord): readonly [PastIndex, ...PastIndex[]] {
    let pasts = this.#ofWatches.get(watch);
    if (pasts === undefined) {
      const { collection, call, start, initial } = watch;
      const told = watch.events.flatMap((event) =>
        event.type === 'BOOKMARK' || event.type === 'DELETED' ? [] : [event],
      );
      pasts = this.#attribute({
        ...{ collection, call, end: watch.ending.at, states: [...(initial?.items ?? []), ...told] },
        isFresh: start.kind === 'state' && initial !== undefined && isFresh(start.freshness),
        fits: (past) => isOfPast(watch, past),
      });
      this.#ofWatches.set(watch, pasts);
    }
    return pasts;
  }

  /** The past of a watch, or one of those that it may be of. */
  pastOfWatch(watch: WatchRecord): PastIndex {
    return this.pastsOfWatch(watch)[0];
  }

  /**
   * Pasts that had begun and have what was told; of a fresh answer those that were there at the call or later, if any has
   * it. When none has it all: the one with most of the states, of equals the one that was there at the call.
   */
  #attribute({ collection, call, end, isFresh, states, fits }: Told): readonly [PastIndex, ...PastIndex[]] {
    if (this.pasts.length === 1) return this.pasts;
    const begun = this.pasts.filter(({ past }) => past.from <= end);
    const fitting = begun.filter(fits);
    const now = this.pastAt(call);
    const inTime = isFresh ? fitting.filter(({ past }) => past.from >= now.past.from) : fitting;
    const [first, ...others] = inTime.length > 0 ? inTime : fitting;
    if (first !== undefined) return [first, ...others];
    const score = (index: PastIndex): number => states.filter((state) => index.had(collection, state)).length;
    let best = now;
    for (const index of begun) if (score(index) > score(best)) best = index;
    return [best];
  }
}

function isFresh({ kind }: Freshness): boolean {
  return kind === 'mostRecent';
}
