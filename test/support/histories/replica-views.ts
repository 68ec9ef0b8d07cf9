/**
 * The view of a replica never goes back: a read without or with a lower bound of its freshness may be old, but not older
 * than what an earlier read at the same replica, in the same life of its process, had shown.
 */
import { placeOfGet, placeOfInitial, placeOfList, type Placed } from './places.ts';
import { misplaced, statePlace } from './sweep.ts';
import { TruthIndex } from './truth-index.ts';
import type { Freshness, History, Validator } from './types.ts';

export const replicaViews: Validator = (history, truth) => {
  const index = TruthIndex.of(truth);
  const read = readsOf(history, index);
  const names = [...new Set(read.map(({ replica }) => replica))].filter((name) => name !== '');
  return names.flatMap((name) =>
    index.pasts.flatMap((past) =>
      misplaced(
        read.filter((one) => one.replica === name && one.placed.past === past).map(({ placed }) => placed),
        statePlace(past.past.base),
      ),
    ),
  );
};

/** An exact read does not come from the view. */
function isOfView({ kind }: Freshness): boolean {
  return kind !== 'exact';
}

function readsOf(
  { gets, lists, watches }: History,
  index: TruthIndex,
): { readonly replica: string; readonly placed: Placed }[] {
  const withReplica = (replica: string, placed: Placed | undefined) =>
    placed === undefined ? [] : [{ replica, placed }];
  return [
    ...gets
      .filter(({ freshness }) => isOfView(freshness))
      .flatMap((get) => withReplica(get.replica, placeOfGet(get, index))),
    ...lists
      .filter(({ freshness }) => isOfView(freshness))
      .flatMap((list) => withReplica(list.replica, placeOfList(list, index))),
    ...watches
      .filter(({ start }) => start.kind === 'state')
      .flatMap((watch) => withReplica(watch.replica, placeOfInitial(watch, index))),
  ];
}
