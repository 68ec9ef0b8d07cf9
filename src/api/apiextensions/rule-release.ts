/** How objects of definitions are checked, by the gates of the release: validation rules (KEP-2876) and ratcheting (KEP-4008). */
import type { ApiContext } from '../types.ts';

/** Minor number of the first release with rules by default. */
export const ruleMinor = 25;

/** What the emulated release offers. Without a release none of it. */
export interface DefinitionFeatures {
  readonly release?: ApiContext['release'] | undefined;
  readonly isFeatureEnabled?: ApiContext['isFeatureEnabled'] | undefined;
}

/** Whether an update may leave values as they are that the schema or its rules refuse. */
export function ratchetsSchemas({ isFeatureEnabled }: DefinitionFeatures): boolean {
  return isFeatureEnabled?.('CRDValidationRatcheting') === true;
}

/** Minor number of the release whose libraries expressions may use; undefined where rules are not judged. */
export function ruleReleaseOf({ release, isFeatureEnabled }: DefinitionFeatures): number | undefined {
  if (!release || isFeatureEnabled?.('CustomResourceValidationExpressions') !== true) return undefined;
  return release.major > 1 ? Number.POSITIVE_INFINITY : release.minor;
}
