/**
 * Lists equal the truth: whatever the freshness, the items are exactly the state of the collection at the version of
 * the list. All chunks are of the version of the first; an exact list is of the version that was asked for, one that
 * is not older of that or a later one; and none is of a version that etcd had not come to.
 */
import type { PastIndex } from './past-index.ts';
import { TruthIndex } from './truth-index.ts';
import { Violations } from './violations.ts';
import { difference } from './watched.ts';
import { wordsOfList } from './words.ts';
import type { ListRecord, Page, State, Validator } from './types.ts';

export const exactLists: Validator = ({ lists }, truth) => {
  const index = TruthIndex.of(truth);
  const found = new Violations();
  for (const list of lists) {
    const [first] = list.pages;
    if (first === undefined) continue;
    const items = list.pages.flatMap((page) => page.items);
    const [past] = index.pastsOfList(list, first);
    for (const words of [...wrongVersions(list, first, past), ...wrongItems(list, items, past)])
      found.add(`${wordsOfList(list)}: ${words}`);
  }
  return found.list();
};

function wrongVersions({ freshness, pages }: ListRecord, first: Page, past: PastIndex): string[] {
  const { version } = first;
  const wrong = pages
    .filter((page) => page.version !== version)
    .map((page) => `a chunk at ${page.version} of a list at ${version}`);
  if (version > past.past.head) wrong.push(`it is at ${version}, but etcd came to ${past.past.head}`);
  if (freshness.kind === 'exact' && version !== freshness.revision) wrong.push(`it is at ${version}`);
  if (freshness.kind === 'notOlderThan' && version < freshness.revision) wrong.push(`it is at ${version}`);
  return wrong;
}

function wrongItems(
  { collection, filter, pages }: ListRecord,
  items: readonly State[],
  past: PastIndex,
): string[] {
  const version = pages[0]?.version ?? 0;
  const whole = past.stateAt(collection, filter, version);
  // A list whose chunks were not all read is the beginning of the state.
  const expected = pages.at(-1)?.continues === true ? whole.slice(0, items.length) : whole;
  const words = difference(items, expected);
  return words === '' ? [] : [`at ${version} it ${words}`];
}
