/**
 * Atomic: the events of a revision come together. None stands apart from the others, no bookmark between them, and
 * none is missing where the watch goes on (or ends in order: a broken connection may cut anywhere).
 */
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { startOf } from './watched.ts';
import { wordsOfEvent, wordsOfWatch } from './words.ts';
import type { Revision, Validator, WatchedEvent, WatchRecord } from './types.ts';

export const atomic: Validator = ({ watches }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const watch of watches) {
    for (const torn of tornOf(watch)) found.add(`${wordsOfWatch(watch)}: ${torn}`);
    const past = index.pastOfWatch(watch);
    const start = startOf(watch, past) ?? 0;
    for (const [version, keys] of groupsOf(watch)) {
      const isCut = watch.ending.reason === 'broken' || watch.ending.reason === 'closed';
      if (version <= start || (isCut && version === watch.events.at(-1)?.version)) continue;
      const all = past.expected(watch.collection, watch.filter, version - 1, version);
      const missing = all.filter(({ key }) => !keys.has(key)).map(({ key }) => key);
      if (missing.length > 0)
        found.add(`${wordsOfWatch(watch)}: revision ${version} lacks ${missing.join(', ')}`);
    }
  }
  return found.list();
};

function groupsOf({ events }: WatchRecord): Map<Revision, Set<string>> {
  const groups = new Map<Revision, Set<string>>();
  for (const event of events) {
    if (event.type === 'BOOKMARK') continue;
    const keys = groups.get(event.version) ?? new Set();
    groups.set(event.version, keys.add(event.key));
  }
  return groups;
}

/** Events of a revision with something else between them. */
function tornOf({ events }: WatchRecord): string[] {
  const torn: string[] = [];
  const over = new Set<Revision>();
  let last: WatchedEvent | undefined;
  for (const event of events) {
    if (event.type === 'BOOKMARK' || event.version !== last?.version) {
      if (last?.type !== 'BOOKMARK' && last !== undefined) over.add(last.version);
      if (event.type !== 'BOOKMARK' && over.has(event.version))
        torn.push(`${wordsOfEvent(event)} apart from its revision, after ${wordsOfEvent(last ?? event)}`);
    } else if (last.type === 'BOOKMARK' && over.has(event.version)) {
      torn.push(`${wordsOfEvent(event)} behind a bookmark within its revision`);
    }
    last = event;
  }
  return torn;
}
