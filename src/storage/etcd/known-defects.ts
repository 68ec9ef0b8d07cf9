/**
 * Releases of etcd that break what this service promises on top of them: events of a watch that are lost or come twice,
 * acknowledged writes that are lost, members that differ, linearizable reads that are stale.
 *
 * Source: etcd's changelogs (CHANGELOG-3.4.md to CHANGELOG-3.7.md) and the "Robustness track record" in its
 * tests/robustness/README.md. Left out is what this client never meets: progress notifications ahead of events
 * (#15220; `follower.ts` does not trust them), reads of a past revision within a transaction (#18667), and defects of
 * etcd's Go client.
 */

/** `[major, minor, patch]`; a release candidate counts as the release that it leads to. */
type Release = readonly [number, number, number];

interface Defect {
  /** Number of the issue of etcd. */
  readonly issue: number;
  readonly effect: string;
  /** The first release that has it; absent: it is older than 3.4. */
  readonly since?: Release;
  /** By `major.minor`: the first release without it. Later minor releases never had it. */
  readonly fixedIn: Readonly<Record<string, number>>;
}

const defects: readonly Defect[] = [
  {
    issue: 13766,
    effect: 'members differ after a crash under load',
    since: [3, 5, 0],
    fixedIn: { '3.5': 3 },
  },
  {
    issue: 14370,
    effect: 'a cluster of one member may lose an acknowledged write when it crashes',
    fixedIn: { '3.4': 21, '3.5': 5 },
  },
  {
    issue: 14571,
    effect: 'members differ after authentication was enabled',
    fixedIn: { '3.4': 22, '3.5': 6 },
  },
  {
    issue: 14685,
    effect: 'members differ after a crash while one was defragmented',
    since: [3, 5, 0],
    fixedIn: { '3.5': 6 },
  },
  {
    issue: 15271,
    effect: 'a watch gets old events again when its member is sent a snapshot',
    fixedIn: { '3.4': 25, '3.5': 8 },
  },
  {
    issue: 15247,
    effect: 'leases end early after the leader was stuck, and what they hold is deleted',
    fixedIn: { '3.4': 31, '3.5': 13 },
  },
  {
    issue: 17529,
    effect: 'a slow watch loses events when its history is compacted',
    fixedIn: { '3.4': 31, '3.5': 13 },
  },
  {
    issue: 17780,
    effect: 'revisions go back after a crash during compaction',
    fixedIn: { '3.4': 32, '3.5': 14 },
  },
  {
    issue: 18089,
    effect: 'a watch loses the deletion at which history was compacted',
    fixedIn: { '3.4': 34, '3.5': 16 },
  },
  {
    issue: 19179,
    effect: 'a watch that begins where history is being compacted loses a deletion',
    fixedIn: { '3.4': 36, '3.5': 18 },
  },
  {
    issue: 20221,
    effect: 'a watch from a revision that its member has not reached gets older events',
    fixedIn: { '3.4': 38, '3.5': 22, '3.6': 2 },
  },
  {
    issue: 20271,
    effect: 'data is damaged when a member is sent a snapshot while it is defragmented',
    fixedIn: { '3.4': 38, '3.5': 23, '3.6': 5 },
  },
  {
    issue: 20418,
    effect: 'linearizable reads may be stale after a member was paused or the leader changed',
    since: [3, 4, 20],
    fixedIn: { '3.4': 42, '3.5': 28, '3.6': 9 },
  },
];

export interface KnownDefects {
  /** `#<issue of etcd>: <effect>`, in the order of the issues. */
  readonly defects: readonly string[];
  /** The first release of the same minor release without any of them; absent if there is none. */
  readonly fixedIn?: string;
}

/**
 * What is known to be wrong with a release of etcd.
 * @param version as a member reports it, such as `3.5.30` or `3.6.0-rc.2`
 * @returns undefined if nothing is, or if it is no version
 */
export function knownDefects(version: string): KnownDefects | undefined {
  const release = parseRelease(version);
  if (release === undefined) return undefined;
  const present = defects.filter((defect) => has(release, defect));
  if (present.length === 0) return undefined;
  const minor = `${String(release[0])}.${String(release[1])}`;
  const patches = present.map(({ fixedIn }) => fixedIn[minor] ?? 0);
  const patch = Math.max(...patches);
  return {
    defects: present.map(({ issue, effect }) => `#${String(issue)}: ${effect}`),
    ...(patch > 0 ? { fixedIn: `${minor}.${String(patch)}` } : {}),
  };
}

function has(release: Release, { since, fixedIn }: Defect): boolean {
  if (since !== undefined && isBefore(release, since)) return false;
  const fixes = Object.entries(fixedIn).map(([minor, patch]) => parseRelease(`${minor}.${String(patch)}`));
  const sameMinor = fixes.find((fix) => fix?.[0] === release[0] && fix[1] === release[1]);
  if (sameMinor !== undefined) return isBefore(release, sameMinor);
  // Of another minor release: an older one is no longer maintained, a newer one began without the defect.
  return fixes.every((fix) => fix !== undefined && isBefore(release, fix));
}

function isBefore(one: Release, other: Release): boolean {
  for (const [i, part] of one.entries()) if (part !== other[i]) return part < (other[i] ?? 0);
  return false;
}

function parseRelease(version: string): Release | undefined {
  const found = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?![\d.])/.exec(version);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3])];
}
