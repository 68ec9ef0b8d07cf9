/**
 * Filtered: what a watch tells are changes of objects that its filter selects, as they were: an object that begins to
 * match is ADDED, one that ceases to match is DELETED with the last state that matched. Synthetic events at the start
 * are exactly a state of the collection.
 */
import type { Expected, PastIndex } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { changesOf, difference, startOf, type WatchedChange } from './watched.ts';
import { wordsOfEvent, wordsOfWatch } from './words.ts';
import type { Validator, WatchRecord } from './types.ts';

export const filtered: Validator = ({ watches }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const watch of watches) {
    const past = index.pastOfWatch(watch);
    const wrong = wrongStart(watch, past);
    if (wrong !== '') found.add(`${wordsOfWatch(watch)}: ${wrong}`);
    const { collection, filter } = watch;
    for (const event of changesOf(watch)) {
      const expected = past
        .expected(collection, filter, event.version - 1, event.version)
        .find(({ key }) => key === event.key);
      const words = wrongEvent(event, expected);
      if (words !== '') found.add(`${wordsOfWatch(watch)}: ${wordsOfEvent(event)}, ${words}`);
    }
  }
  return found.list();
};

function wrongEvent(event: WatchedChange, expected: Expected | undefined): string {
  if (expected === undefined) return 'but the filter selects no such change';
  const { type, state } = expected;
  if (event.type !== type) return `which is ${type}`;
  if (event.value !== state.value) return `which has the value ${state.value}`;
  if (event.uid !== undefined && state.uid !== undefined && event.uid !== state.uid)
    return `with uid ${event.uid}, which is ${state.uid}`;
  return sameLabels(event, expected) ? '' : `with labels ${JSON.stringify(event.labels)}`;
}

function sameLabels({ labels }: WatchedChange, { state }: Expected): boolean {
  if (labels === undefined) return true;
  const sorted = (of: object): string => JSON.stringify(Object.entries(of).sort());
  return sorted(labels) === sorted(state.labels ?? {});
}

function wrongStart(watch: WatchRecord, past: PastIndex): string {
  const { initial, collection, filter } = watch;
  if (initial === undefined) return '';
  const version = startOf(watch, past);
  if (version === undefined) return 'its first state is none that the collection ever had';
  const words = difference(initial.items, past.stateAt(collection, filter, version));
  return words === '' ? '' : `its first state, at ${version}, ${words}`;
}
