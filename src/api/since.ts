/** What depends on the release where neither a field nor a feature gate says so. */
import type { ApiContext } from './types.ts';

/** Whether release 1.N or a later one is emulated; without a release, 1.21 is. */
export function isSince({ release }: Pick<ApiContext, 'release'>, minor: number): boolean {
  return release !== undefined && release.minor >= minor;
}
