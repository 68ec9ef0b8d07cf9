/**
 * The revision that a restored etcd continues from: beyond all that any client was ever given.
 *
 * The snapshot does not tell what was served after it, and the data that was there may be lost. So the revision is taken
 * from the clock, as if etcd had made 100,000 revisions in each second since 1970. It cannot: a busy cluster makes some
 * ten thousand. Whatever was served until now, also after earlier restores, is therefore less, and what a later restore
 * takes is more. Where revisions are known they count as well, with a margin, so that a clock that is wrong does no harm.
 */
const revisionsPerSecond = 100_000;
const margin = 1_000_000_000;

/** `known`: revisions of the snapshot, of the data that is replaced, and what the operator names. */
export function targetRevision(now: Date, known: readonly number[]): number {
  const byClock = Math.floor(now.getTime() / 1000) * revisionsPerSecond;
  const target = Math.max(byClock, ...known.map((revision) => revision + margin));
  if (!Number.isSafeInteger(target)) throw new RangeError(`no revision beyond ${target} can be served`);
  return target;
}
