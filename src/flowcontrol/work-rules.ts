/** What counts as work, by release (KEP-1040; work estimator of the reference, releases 1.22 to 1.36). */
import { isAtLeast, type Release } from '../observe/release.ts';

export interface WorkRules {
  /** Lists take seats by the number of objects; before, each takes one. */
  readonly countsObjects: boolean;
  /** Seats of a list by the bytes that it needs at once, not by the number of its objects. */
  readonly bySize: boolean;
  /** A list of one name costs what a get costs. */
  readonly namesCostOne: boolean;
  readonly mostListSeats: number;
  /** The newest state is read from the watch cache. */
  readonly newestFromCache: boolean;
  /** Watches that begin with a state cost what a list costs; others take one seat until they are established. */
  readonly countsInitialEvents: boolean;
  /** Events of a write take seats behind it. */
  readonly countsWatches: boolean;
  /** A request takes a part of the seats of its level at most. */
  readonly boundedByLevel: boolean;
}

/** Most seats of a request whose cost is not measured in bytes. */
export const mostSeats = 10;
const mostSeatsBySize = 100;

/** undefined: every request takes one seat, and watches none (release 1.21). */
export function workRulesOf(
  release: Release,
  isFeatureEnabled: (gate: string) => boolean,
): WorkRules | undefined {
  const since = (minor: number): boolean => isAtLeast(release, { major: 1, minor });
  if (!since(22)) return undefined;
  const bySize = since(34) && isFeatureEnabled('SizeBasedListCostEstimate');
  return {
    bySize,
    countsObjects: since(23),
    namesCostOne: since(26),
    mostListSeats: bySize ? mostSeatsBySize : mostSeats,
    newestFromCache: since(28) && isFeatureEnabled('ConsistentListFromCache'),
    countsInitialEvents: since(28) && isFeatureEnabled('WatchList'),
    countsWatches: since(24),
    boundedByLevel: since(28),
  };
}
