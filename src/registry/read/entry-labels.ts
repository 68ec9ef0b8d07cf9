/**
 * The labels of entries, for selectors. A few labels are cached with their entry, unless the entry is created for each
 * reader: to read them again costs less than to keep that entry in memory. An object has room for fifty thousand, which take ten
 * times their text: those of some are kept for a while, as all watches look at the same ones.
 */
import { LRUCache } from 'lru-cache';
import { readLabelsAmong } from '../../codec/stored-labels.ts';
import { readLabels, textWithLabels } from '../../codec/stored.ts';
import type { Labels } from '../../meta/label-requirements.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';

/** More than objects have. */
const few = 64;
/** Text of objects. */
const mostBytes = 8 * 1024 * 1024;
const key = Symbol('labels');

const many = new LRUCache<Entry, Labels>({
  maxSize: mostBytes,
  sizeCalculation: (_labels, entry) => Math.max(1, sizeOf(entry)),
});

/**
 * How often those were looked through that were last, which are few: all watches look at the same, and after so many of them
 * it takes less time to parse the labels once. A list of more objects looks through each once.
 */
const scans = new LRUCache<Entry, number>({ max: 4 });
const mostScans = 8;

/** To look for so many in the text takes less time than to parse it. */
const fewAsked = 16;
const largeBytes = 16 * 1024;

/**
 * The labels of a stored object, at least those with the given names. They must not be mutated.
 * @param names those that make a difference
 */
export function labelsOf(entry: Entry, names: readonly string[]): Labels {
  const known = (entry.memo?.get(key) as Labels | undefined) ?? many.get(entry);
  if (known) return known;
  const scanned = scans.get(entry) ?? 0;
  if (names.length <= fewAsked && sizeOf(entry) > largeBytes && scanned < mostScans) {
    const found = readLabelsAmong(textWithLabels(entry), names);
    if (found) {
      scans.set(entry, scanned + 1);
      return found;
    }
  }
  const labels = readLabels(textWithLabels(entry));
  if (entry.isFleeting === true) return labels;
  if (Object.keys(labels).length > few) many.set(entry, labels);
  else (entry.memo ??= new Map()).set(key, labels);
  return labels;
}
