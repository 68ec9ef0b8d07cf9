/** Releases as `major.minor`: what life cycles of metrics and gates are counted in. */

export interface Release {
  readonly major: number;
  readonly minor: number;
}

/** The documented interface version of the service. */
export const currentRelease: Release = { major: 1, minor: 21 };

/** Reads `1.21` or `v1.21`; undefined when it is neither. */
export function parseRelease(text: string): Release | undefined {
  const match = /^v?([0-9]{1,3})\.([0-9]{1,4})$/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

export function releaseText(release: Release): string {
  return `${String(release.major)}.${String(release.minor)}`;
}

/** Whether a release is the other one or a later one. */
export function isAtLeast(release: Release, other: Release): boolean {
  return release.major === other.major ? release.minor >= other.minor : release.major > other.major;
}
