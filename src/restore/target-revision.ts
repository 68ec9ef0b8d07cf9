/**
 * The revision from which a restored etcd continues, beyond all revisions that clients have seen. The snapshot does
 * not show which revisions were served after it, and the current data may be lost. So the revision is derived from
 * the clock, as 100,000 revisions per second since 1970; a busy cluster makes about ten thousand. All revisions until
 * now, also after earlier restores, are therefore lower, and later restores get higher ones. Known revisions are
 * respected as well, with a margin, in case the clock is wrong.
 */
const revisionsPerSecond = 100_000;
const margin = 1_000_000_000;

/** `known` are the revisions of the snapshot, of the current data, and of --beyond-revision. */
export function targetRevision(now: Date, known: readonly number[]): number {
  const byClock = Math.floor(now.getTime() / 1000) * revisionsPerSecond;
  const target = Math.max(byClock, ...known.map((revision) => revision + margin));
  if (!Number.isSafeInteger(target)) throw new RangeError(`no revision beyond ${target} can be served`);
  return target;
}
