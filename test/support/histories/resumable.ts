/**
 * Resumable: a watch that goes on after a version that another had told begins with the very next change: it repeats
 * none, leaves none out, and what it left out at the joint was not told by the one before either.
 */
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { wordsOfEvent, wordsOfExpected, wordsOfWatch } from './words.ts';
import type { Validator } from './types.ts';

export const resumable: Validator = ({ watches }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const watch of watches) {
    const [first] = watch.events;
    if (watch.start.kind !== 'after' || first === undefined) continue;
    const { version } = watch.start;
    const words = wordsOfWatch(watch);
    for (const event of watch.events) {
      const isOld = event.type === 'BOOKMARK' ? event.version < version : event.version <= version;
      if (isOld) found.add(`${words} told ${wordsOfEvent(event)}, which is not after its start`);
    }
    const next = index
      .pastOfWatch(watch)
      .expected(watch.collection, watch.filter, version, first.version)
      .at(0);
    const isNext = next === undefined || (first.type !== 'BOOKMARK' && next.version === first.version);
    if (!isNext)
      found.add(
        `${words}${continuing(watch.continues)} began with ${wordsOfEvent(first)} and left out ` +
          wordsOfExpected(next),
      );
  }
  return found.list();
};

function continuing(id: string | undefined): string {
  return id === undefined ? '' : ` (continues ${id})`;
}
