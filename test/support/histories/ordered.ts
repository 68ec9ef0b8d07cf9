/** Ordered: versions never go back from event to event of one watch. */
import { Violations } from './violations.ts';
import { changesOf } from './watched.ts';
import { wordsOfEvent, wordsOfWatch } from './words.ts';
import type { Validator, WatchedEvent } from './types.ts';

export const ordered: Validator = ({ watches }) => {
  const found = new Violations();
  for (const watch of watches) {
    let last: WatchedEvent | undefined;
    for (const event of changesOf(watch)) {
      if (last !== undefined && event.version < last.version)
        found.add(`${wordsOfWatch(watch)}: ${wordsOfEvent(event)} after ${wordsOfEvent(last)}`);
      last = event;
    }
  }
  return found.list();
};
