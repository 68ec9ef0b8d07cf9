/**
 * The labels of entries, for selectors. A few labels are cached with their entry, unless the entry is created for each
 * reader: to read them again costs less than to keep that entry in memory. An object has room for fifty thousand, which take ten
 * times their text: those of some are kept for a while, as all watches look at the same ones.
 */
import { LRUCache } from 'lru-cache';
import { breatheInLargeStep } from '../../base/cooperate.ts';
import { resultOf } from '../../base/sliced-work.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { readLabelsAmong } from '../../codec/stored-labels.ts';
import { readLabels, readLabelsInSteps, textWithLabels } from '../../codec/stored.ts';
import type { Labels } from '../../meta/label-requirements.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { SharedReading, type Reading } from './reading.ts';

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
const scannedBytes = 16 * 1024;

/**
 * The labels of a stored object, at least those with the given names. They must not be mutated.
 * @param names those that make a difference
 */
export function labelsOf(entry: Entry, names: readonly string[]): Labels {
  const known = knownLabels(entry);
  if (known) return known;
  const found = isScanned(entry, names) ? readLabelsAmong(textWithLabels(entry), names) : undefined;
  if (!found) return keep(entry, readLabels(textWithLabels(entry)));
  scans.set(entry, (scans.get(entry) ?? 0) + 1);
  return found;
}

/** The same, for a few names: very many labels are never parsed for it. */
export function labelsForIndex(entry: Entry, names: readonly string[]): Labels {
  const known = knownLabels(entry);
  if (known) return known;
  const found = sizeOf(entry) > scannedBytes ? readLabelsAmong(textWithLabels(entry), names) : undefined;
  return found ?? keep(entry, readLabels(textWithLabels(entry)));
}

/** Of large entries: those with these names, or all. */
export function labelReading(names: readonly string[]): Reading {
  return {
    isRead: (entry) => sizeOf(entry) <= smallBodyBytes || !!knownLabels(entry) || isScanned(entry, names),
    read: (entry) =>
      reading.read(entry, async () => {
        keep(entry, await resultOf(readLabelsInSteps(textWithLabels(entry)), breatheInLargeStep));
      }),
  };
}

const reading = new SharedReading();

/** Whether they are looked for in the text, which is not parsed. */
function isScanned(entry: Entry, names: readonly string[]): boolean {
  return names.length <= fewAsked && sizeOf(entry) > scannedBytes && (scans.get(entry) ?? 0) < mostScans;
}

function knownLabels(entry: Entry): Labels | undefined {
  return (entry.memo?.get(key) as Labels | undefined) ?? many.get(entry);
}

function keep(entry: Entry, labels: Labels): Labels {
  if (Object.keys(labels).length > few) many.set(entry, labels);
  else if (entry.isFleeting !== true) (entry.memo ??= new Map()).set(key, labels);
  return labels;
}
