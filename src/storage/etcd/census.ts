/**
 * Which members of `--etcd-servers` to use. All must belong to one cluster: objects of two are not to be mixed. A
 * learner copies the log, but refuses calls (etcd 3.4: `rpc not supported for learner`).
 */
import { isSame, textOf, type ClusterId } from './known-past.ts';

/** What is known of a member. */
export interface Sighting {
  readonly url: string;
  /** The cluster that it named last; undefined if it never answered. */
  readonly cluster: ClusterId | undefined;
  /** It answered just now. */
  readonly isUp: boolean;
  readonly isLearner: boolean;
}

/** `cluster`: the one to follow; undefined if none can be chosen. */
export interface CensusResult {
  readonly cluster: ClusterId | undefined;
  /** For each member in order: why it is not used; '' if it is. */
  readonly standings: readonly string[];
  /** Clusters that were seen at once, in words; '' if there is only one. */
  readonly conflict: string;
}

/**
 * The cluster that was followed is kept while any member answers for it. It is given up only for one that most of the
 * members answer for: a restored cluster has them, and a stranger at an address that once was a member has not.
 *
 * @param followed undefined at the start: then clusters that differ leave no choice
 */
export function judge(members: readonly Sighting[], followed: ClusterId | undefined): CensusResult {
  const up = members.filter(({ isUp, cluster }) => isUp && cluster !== undefined);
  const cluster = choose(up, members.length, followed);
  const clusters = distinct(up.flatMap((member) => member.cluster ?? []));
  const conflict = clusters.length < 2 ? '' : conflictText(up, cluster);
  const standings = members.map((member) => standingOf(member, cluster, conflict));
  return { cluster, standings, conflict };
}

function choose(
  up: readonly Sighting[],
  total: number,
  followed: ClusterId | undefined,
): ClusterId | undefined {
  const seen = distinct(up.flatMap(({ cluster }) => cluster ?? []));
  if (followed === undefined) return seen.length === 1 ? seen[0] : undefined;
  if (seen.some((id) => isSame(id, followed))) return followed;
  return seen.find((id) => up.filter((member) => isOf(member, id)).length * 2 > total) ?? followed;
}

function standingOf(member: Sighting, cluster: ClusterId | undefined, conflict: string): string {
  if (member.cluster === undefined) return '';
  if (cluster === undefined) return conflict;
  if (!isOf(member, cluster))
    return `etcd at ${member.url} is of cluster ${textOf(member.cluster)}, not ${textOf(cluster)}`;
  return member.isLearner ? `etcd at ${member.url} is a learner` : '';
}

function conflictText(members: readonly Sighting[], cluster: ClusterId | undefined): string {
  const names = members.flatMap((member) =>
    member.cluster === undefined ? [] : `${member.url} is of ${textOf(member.cluster)}`,
  );
  const used = cluster === undefined ? 'none is used' : `${textOf(cluster)} is used`;
  return `etcd members of different clusters are named, ${used}: ${names.join(', ')}`;
}

function isOf({ cluster }: Sighting, id: ClusterId): boolean {
  return cluster !== undefined && isSame(cluster, id);
}

function distinct(ids: readonly ClusterId[]): ClusterId[] {
  return ids.filter((id, at) => ids.findIndex((other) => isSame(other, id)) === at);
}
