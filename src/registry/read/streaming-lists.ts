/** What releases make of `sendInitialEvents`, the parameter of streaming lists (KEP-3157). */
import { isAtLeast, type Release } from '../../observe/release.ts';

/**
 * `unknown`: the release does not know the parameter, which is ignored as every such one; `refused`: it does, but the
 * feature gate `WatchList` is off; `served`.
 */
export type StreamingLists = 'unknown' | 'refused' | 'served';

const firstRelease: Release = { major: 1, minor: 27 };

/** What the emulated release makes of the parameter, with these feature gates. */
export function streamingListsOf(
  release: Release,
  isFeatureEnabled: (gate: string) => boolean,
): StreamingLists {
  if (!isAtLeast(release, firstRelease)) return 'unknown';
  return isFeatureEnabled('WatchList') ? 'served' : 'refused';
}
