/** Which releases check objects by the validation rules of their definition (KEP-2876: on by default from 1.25 on). */
import type { EmulatedRelease } from '../types.ts';

const firstMinor = 25;

/** The first release with rules, as messages name it. */
export const ruleReleaseText = `1.${String(firstMinor)}`;

/** KEP-4008: on by default from this release on. */
const firstRatcheting = 30;

/** Whether an update may leave values as they are that the schema refuses (KEP-4008). */
export function ratchetsSchemas(release: EmulatedRelease | undefined): boolean {
  return release !== undefined && (release.major > 1 || release.minor >= firstRatcheting);
}

/** Minor number of the release whose libraries expressions may use; undefined when the release has no rules. */
export function ruleReleaseOf(release: EmulatedRelease | undefined): number | undefined {
  if (release === undefined) return undefined;
  if (release.major > 1) return Number.POSITIVE_INFINITY;
  return release.minor >= firstMinor ? release.minor : undefined;
}
