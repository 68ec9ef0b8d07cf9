/** Releases as `major.minor`, for the lifecycles of metrics, gates and versions. */

export interface Release {
  readonly major: number;
  readonly minor: number;
}

/** The Kubernetes release of the API. */
export const currentRelease: Release = { major: 1, minor: 21 };

/** The newest release that can be emulated. */
export const newestRelease: Release = { major: 1, minor: 36 };

/** Parses `1.21` or `v1.21`; undefined if it is malformed. */
export function parseRelease(text: string): Release | undefined {
  const match = /^v?([0-9]{1,3})\.([0-9]{1,4})$/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

export function releaseText(release: Release): string {
  return `${String(release.major)}.${String(release.minor)}`;
}

/** Whether a release equals the other one or is later. */
export function isAtLeast(release: Release, other: Release): boolean {
  return release.major === other.major ? release.minor >= other.minor : release.major > other.major;
}
