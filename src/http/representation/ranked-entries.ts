/** The order of tables whose rows have ranks: all entries of the list are read for it before the first row is written. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { sortedInSteps } from '../../base/sorted-in-steps.ts';
import type { EntryList } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import type { Projection } from './projection.ts';
import { SlicePace } from './slice-writer.ts';

const nothing = Buffer.alloc(0);

/** Makes what the form caches of an entry in another thread; undefined if it is to be made here. */
type Made = (entry: Entry) => Generator<Promise<Buffer>, Buffer | undefined, undefined>;

/**
 * For the generators of lists: the entries by ascending rank, stable; as they are without ranks. Yields empty slices, so that
 * other requests have their turns: the objects may be many and large.
 */
export function* inOrderOf(
  rank: Projection['rank'],
  entries: EntryList,
  made?: Made,
): Generator<MaybePromise<Buffer>, EntryList, undefined> {
  if (!rank) return entries;
  const pace = new SlicePace();
  const ranked: { readonly entry: Entry; readonly rank: number }[] = [];
  for (const entry of entries) {
    ranked.push({ entry, rank: rank(entry, made && (yield* made(entry))) });
    yield* turn(pace);
  }
  const sorting = sortedInSteps(ranked, (a, b) => a.rank - b.rank);
  for (;;) {
    const { done, value } = sorting.next();
    if (done === true) return value.map(({ entry }) => entry);
    yield* turn(pace);
  }
}

function* turn(pace: SlicePace): Generator<Buffer, void, undefined> {
  if (!pace.isOver) return;
  yield nothing;
  pace.begin();
}
