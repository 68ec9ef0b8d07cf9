/** Bounds what the earlier states of all collections retain together: there may be thousands of collections. */
import type { PastStates, Progress } from './past-states.ts';

/** Of all collections of a view. */
const usualBytes = 256 * 1024 * 1024;

export interface WithPastStates {
  readonly pastStates: PastStates;
  readonly churn: number;
}

/**
 * Evicts the states of each collection that are too old or retain too much, then of those that retain most until all
 * together are within `most` bytes. Takes time for each collection and for each state that is evicted.
 */
export function trimPastStates(
  collections: Iterable<WithPastStates>,
  progress: Omit<Progress, 'churn'>,
  most = usualBytes,
): void {
  const holding: WithPastStates[] = [];
  let bytes = 0;
  for (const collection of collections) {
    const { pastStates, churn } = collection;
    if (pastStates.size === 0) continue;
    pastStates.trim({ churn, ...progress });
    bytes += pastStates.bytesAt(churn);
    holding.push(collection);
  }
  if (bytes <= most) return;
  const share = shareOf(holding, most);
  for (const { pastStates, churn } of holding) pastStates.trim({ churn, ...progress }, share);
}

/** What each may retain: those that retain less leave the rest of theirs to the others. */
function shareOf(holding: readonly WithPastStates[], most: number): number {
  const ascending = holding.map(({ pastStates, churn }) => pastStates.bytesAt(churn)).sort((a, b) => a - b);
  let left = most;
  for (const [index, bytes] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (bytes > share) return share;
    left -= bytes;
  }
  return Infinity;
}
