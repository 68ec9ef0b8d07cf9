/**
 * Bookmarkable: at a bookmark everything up to its version was told, bookmarks never go back, and nothing that they
 * cover comes later. Only who asked for bookmarks gets them.
 */
import type { PastIndex } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { startOf } from './watched.ts';
import { wordsOfEvent, wordsOfExpected, wordsOfWatch } from './words.ts';
import type { Revision, Validator, WatchRecord } from './types.ts';

export const bookmarkable: Validator = ({ watches }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const watch of watches) {
    const past = index.pastOfWatch(watch);
    const start = startOf(watch, past) ?? 0;
    const wrong = [...wrongOrder(watch, start), ...notCovered(watch, past, start)];
    for (const words of wrong) found.add(`${wordsOfWatch(watch)}: ${words}`);
  }
  return found.list();
};

/** What bookmarks claim to cover and was not told before them. */
function notCovered(watch: WatchRecord, past: PastIndex, start: Revision): string[] {
  const { collection, filter, events } = watch;
  const missed: string[] = [];
  const told = new Set<string>();
  let after = start;
  for (const event of events) {
    if (event.type !== 'BOOKMARK') {
      told.add(`${String(event.version)} ${event.key}`);
      continue;
    }
    if (event.version > past.past.head)
      missed.push(`${wordsOfEvent(event)}, but etcd came to ${past.past.head}`);
    for (const expected of past.expected(collection, filter, after, event.version)) {
      if (!told.has(`${String(expected.version)} ${expected.key}`))
        missed.push(`${wordsOfEvent(event)} without ${wordsOfExpected(expected)}`);
    }
    after = Math.max(after, event.version);
  }
  return missed;
}

function wrongOrder({ events, bookmarks }: WatchRecord, start: Revision): string[] {
  const wrong: string[] = [];
  let covered = start;
  let last = start;
  for (const event of events) {
    if (event.type === 'BOOKMARK') {
      if (!bookmarks) wrong.push(`${wordsOfEvent(event)}, which nobody asked for`);
      if (event.version < last) wrong.push(`${wordsOfEvent(event)} behind ${last}`);
      covered = Math.max(covered, event.version);
    } else if (event.version <= covered)
      wrong.push(`${wordsOfEvent(event)}, but all up to ${covered} was told`);
    last = Math.max(last, event.version);
  }
  return wrong;
}
