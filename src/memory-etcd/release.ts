/** What differs between the releases of etcd, as far as callers see it. */

/** Releases whose answers differ. */
export type EtcdRelease = '3.4' | '3.5' | '3.6';

export interface ReleaseRules {
  /** What it calls itself: the release that it was compared with. */
  readonly version: string;
  /** A removal at the very revision of a compaction is still read by a watch from there. */
  readonly keepsRemovalAtCompaction: boolean;
  /** A watch from a negative revision is not created; otherwise it starts before all revisions. */
  readonly refusesNegativeRevisions: boolean;
  readonly alarmsHaveHeader: boolean;
  /** The operations of a transaction are checked one after the other; otherwise first all puts, then all ranges. */
  readonly checksInOrder: boolean;
}

const later = {
  keepsRemovalAtCompaction: true,
  refusesNegativeRevisions: true,
  alarmsHaveHeader: true,
} as const;

const rules: Readonly<Record<EtcdRelease, ReleaseRules>> = {
  '3.4': {
    version: '3.4.23',
    keepsRemovalAtCompaction: false,
    refusesNegativeRevisions: false,
    alarmsHaveHeader: false,
    checksInOrder: false,
  },
  '3.5': { version: '3.5.35', checksInOrder: false, ...later },
  '3.6': { version: '3.6.16', checksInOrder: true, ...later },
};

export function rulesOf(release: EtcdRelease): ReleaseRules {
  return rules[release];
}
