/** Reliable: between its start and the last event that it told, a watch left nothing out. */
import type { PastIndex } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { changesOf, startOf } from './watched.ts';
import { wordsOfExpected, wordsOfWatch } from './words.ts';
import type { Revision, Validator, WatchRecord } from './types.ts';

export const reliable: Validator = ({ watches }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const watch of watches) {
    const past = index.pastOfWatch(watch);
    const start = startOf(watch, past);
    const last = Math.max(0, ...changesOf(watch).map(({ version }) => version));
    if (start === undefined) continue;
    // A broken connection may cut within the last revision.
    const isWhole = watch.ending.reason !== 'broken' && watch.ending.reason !== 'closed';
    for (const words of missedBy(watch, past, { after: start, upTo: isWhole ? last : last - 1 }))
      found.add(`${wordsOfWatch(watch)} told ${last} and missed ${words}`);
  }
  return found.list();
};

/** Changes in (after, upTo] that the filter selects and that are not among these events, in words. */
function missedBy(
  watch: WatchRecord,
  past: PastIndex,
  { after, upTo }: { readonly after: Revision; readonly upTo: Revision },
): string[] {
  const told = new Set(changesOf(watch).map(({ version, key }) => `${String(version)} ${key}`));
  return past
    .expected(watch.collection, watch.filter, after, upTo)
    .filter(({ key, version }) => !told.has(`${String(version)} ${key}`))
    .map(wordsOfExpected);
}
