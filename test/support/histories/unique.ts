/** Unique: a watch tells a change of an object once, also over those that it continues. */
import { chainsOf } from './chains.ts';
import { Violations } from './violations.ts';
import { changesOf } from './watched.ts';
import { wordsOfEvent, wordsOfWatch } from './words.ts';
import type { Validator } from './types.ts';

export const unique: Validator = ({ watches }) => {
  const found = new Violations();
  for (const chain of chainsOf(watches)) {
    const told = new Map<string, string>();
    const events = chain.flatMap((watch) => changesOf(watch).map((event) => ({ watch, event })));
    for (const { watch, event } of events) {
      const name = `${String(event.version)} ${event.key}`;
      const before = told.get(name);
      if (before !== undefined)
        found.add(`${wordsOfWatch(watch)}: ${wordsOfEvent(event)} was told before, by ${before}`);
      told.set(name, watch.id);
    }
  }
  return found.list();
};
