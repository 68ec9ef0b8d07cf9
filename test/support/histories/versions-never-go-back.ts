/**
 * Resource versions never go back for a client: a most recent list, or a state that a watch begins with, is not of an
 * older version than anything of the collection that the client had been told before it asked; and a most recent get,
 * or an acknowledged write, shows no older version of an object. Where etcd is another one by then, versions begin anew;
 * a watch goes on there only after 410, if the restored etcd has no version of the past before.
 */
import type { PastIndex } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { wordsOfGet, wordsOfList, wordsOfWatch, wordsOfWrite } from './words.ts';
import type { CollectionId, Freshness, History, Point, Revision, State, Validator } from './types.ts';

/** Something that a client was told. */
interface Told {
  readonly call: Point;
  readonly end: Point;
  readonly client: string;
  readonly collection: CollectionId;
  /** Of an object; undefined for a version of the collection. */
  readonly key: string | undefined;
  readonly version: Revision;
  /** It must not be older than what was told before. */
  readonly isFresh: boolean;
  readonly past: PastIndex;
  readonly words: string;
}

export const versionsNeverGoBack: Validator = (history, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  const groups = Map.groupBy(
    [...toldByReads(history, index), ...toldByWrites(history, index), ...toldByWatches(history, index)],
    ({ client, collection, past }) => JSON.stringify([client, collection, index.pasts.indexOf(past)]),
  );
  for (const group of groups.values()) for (const words of backward(group)) found.add(words);
  for (const words of acrossPasts(history, index)) found.add(words);
  return found.list();
};

/** What is older than something that had been told before it was asked for. */
function backward(told: readonly Told[]): string[] {
  const wrong: string[] = [];
  const byEnd = told.toSorted((a, b) => a.end - b.end);
  let next = 0;
  let newest: Told | undefined;
  const newestOf = new Map<string, Told>();
  for (const one of told.toSorted((a, b) => a.call - b.call)) {
    for (let before = byEnd[next]; before && before.end < one.call; before = byEnd[(next += 1)]) {
      if (before.version > (newest?.version ?? -1)) newest = before;
      if (before.key !== undefined && before.version > (newestOf.get(before.key)?.version ?? -1))
        newestOf.set(before.key, before);
    }
    const bound = one.key === undefined ? newest : newestOf.get(one.key);
    if (one.isFresh && bound && one.version < bound.version)
      wrong.push(`${one.words} is at ${one.version} after ${bound.words} at ${bound.version}`);
  }
  return wrong;
}

function isFresh({ kind }: Freshness): boolean {
  return kind === 'mostRecent';
}

function toldByReads({ gets, lists }: History, index: TruthIndex): Told[] {
  const fromGets = gets.flatMap((get): Told[] => {
    const state = 'found' in get.answer ? get.answer.found : undefined;
    if (state === undefined) return [];
    const [past, ...others] = index.pastsOfGet(get);
    if (others.length > 0) return [];
    return [{ ...get, ...state, isFresh: isFresh(get.freshness), past, words: wordsOfGet(get) }];
  });
  const fromLists = lists.flatMap((list) =>
    list.pages.slice(0, 1).flatMap((page): Told[] => {
      const { call, end, version } = page;
      const [past, ...others] = index.pastsOfList(list, page);
      if (others.length > 0) return [];
      const { client, collection } = list;
      const words = wordsOfList(list);
      const isOfAll = { key: undefined, isFresh: isFresh(list.freshness) };
      return [{ ...{ call, end, client, collection, version, past, words }, ...isOfAll }];
    }),
  );
  return [...fromGets, ...fromLists];
}

function toldByWrites({ writes }: History, index: TruthIndex): Told[] {
  return writes.flatMap((write): Told[] => {
    const { outcome, end, collection, key, value } = write;
    // A deletion tells the last state, which may be older than the removal.
    if (outcome.kind !== 'done' || outcome.version === undefined || end === undefined || value === '')
      return [];
    const { version } = outcome;
    const state: State = { key, version, value };
    const past = index.pasts.find((one) => one.had(collection, state)) ?? index.pastAt(write.call);
    return [{ ...write, end, version, isFresh: true, past, words: wordsOfWrite(write) }];
  });
}

function toldByWatches({ watches }: History, index: TruthIndex): Told[] {
  return watches.flatMap((watch) => {
    const { client, collection, initial, start } = watch;
    const [past, ...others] = index.pastsOfWatch(watch);
    if (others.length > 0) return [];
    const common = { client, collection, past, words: wordsOfWatch(watch) };
    const fromState =
      initial?.version === undefined || start.kind === 'after'
        ? []
        : [
            {
              ...common,
              call: watch.call,
              end: initial.at,
              key: undefined,
              version: initial.version,
              isFresh: isFresh(start.freshness),
            },
          ];
    const fromEvents = watch.events.map((event) => ({
      ...common,
      call: event.at - 0.5,
      end: event.at,
      key: event.type === 'BOOKMARK' || event.type === 'DELETED' ? undefined : event.key,
      version: event.version,
      isFresh: false,
    }));
    return [...fromState, ...fromEvents];
  });
}

/**
 * Watches that went on after a version of the past before. Only where etcd was restored as documented every version
 * tells its past.
 */
function acrossPasts({ watches }: History, index: TruthIndex): string[] {
  return watches.flatMap((watch) => {
    if (watch.start.kind !== 'after' || watch.events.length === 0) return [];
    const { version } = watch.start;
    const mayGoOn = ({ past }: PastIndex): boolean => past.isRaised !== true || version >= past.base;
    if (index.pastsOfWatch(watch).some(mayGoOn)) return [];
    return [`${wordsOfWatch(watch)} goes on after ${version} of another past`];
  });
}
