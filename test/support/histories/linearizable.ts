/**
 * Linearizable: most recent reads, writes and refusals fit into the order of etcd's commits in real time, over all
 * objects of the history. A read sees all that had been acknowledged, or seen by anybody, before it began; and with
 * any freshness nobody sees what is written only later.
 */
import {
  evidenceOf,
  evidenceOfWatch,
  placeOfGet,
  placeOfInitial,
  placeOfList,
  placeOfWrite,
  type Placed,
} from './places.ts';
import { misplaced, statePlace } from './sweep.ts';
import { TruthIndex } from './truth-index.ts';
import type { Freshness, History, Validator } from './types.ts';

export const linearizable: Validator = (history, truth) => {
  const index = TruthIndex.of(truth);
  const fresh = freshReads(history, index);
  const writes = history.writes.flatMap((write) => placeOfWrite(write, index) ?? []);
  const placed = [...fresh, ...writes, ...evidence(history, index)];
  return [
    ...fresh
      .filter(({ past, call }) => past.past.from < index.pastAt(call).past.from)
      .map(({ words }) => `${words} is of a past that was over`)
      .slice(0, 5),
    ...index.pasts.flatMap((past) =>
      misplaced(
        placed.filter((one) => one.past === past),
        statePlace(past.past.base),
      ),
    ),
  ];
};

function isFresh({ freshness }: { readonly freshness: Freshness }): boolean {
  return freshness.kind === 'mostRecent';
}

function freshReads({ gets, lists, watches }: History, index: TruthIndex): Placed[] {
  return [
    ...gets.filter(isFresh).flatMap((get) => placeOfGet(get, index) ?? []),
    ...lists.filter(isFresh).flatMap((list) => placeOfList(list, index) ?? []),
    ...watches
      .filter(({ start }) => start.kind === 'state' && isFresh(start))
      .flatMap((watch) => placeOfInitial(watch, index) ?? []),
  ];
}

/** What was seen by other reads and by watches had been written by then. */
function evidence({ gets, lists, watches }: History, index: TruthIndex): Placed[] {
  const fromGets = gets.flatMap((get) => {
    if (isFresh(get) || 'error' in get.answer || get.answer.found === undefined) return [];
    const { words, past } = placeOfGet(get, index) ?? {};
    return past === undefined || words === undefined
      ? []
      : [evidenceOf(words, get.end, { version: get.answer.found.version, past })];
  });
  const fromLists = lists.flatMap((list) => {
    const [first] = list.pages;
    const { words, past } = placeOfList(list, index) ?? {};
    return isFresh(list) || first === undefined || past === undefined || words === undefined
      ? []
      : [evidenceOf(words, first.end, { version: first.version, past })];
  });
  return [...fromGets, ...fromLists, ...watches.flatMap((watch) => evidenceOfWatch(watch, index))];
}
