/** Chooses a value that nobody holds, at random: replicas that choose at once then seldom choose the same. */
import type { ValueRange } from '../../api/core/service/value-range.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import { randomIndex, type Random } from '../../base/random.ts';
import type { CollectionSnapshot } from '../../storage/types.ts';

/** With more attempts than this the range is nearly full, and a list of what is held finds the rest. */
const guesses = 32;
/** Of all writes: hundreds may look for the last values of a range at once. */
const searching = new SharedSlice();

/** What cannot be chosen. */
export interface TakenValues {
  /** The keys of what is held. */
  readonly held: CollectionSnapshot;
  /** Chosen by the same write. */
  readonly chosen: ReadonlySet<string>;
}

/** Resolves with undefined if the range is full. */
export async function pickFree(
  range: ValueRange,
  { held, chosen }: TakenValues,
  random: Random,
): Promise<string | undefined> {
  const free = range.size - range.reserved;
  if (free <= 0) return undefined;
  const guess = (): string => range.at(range.reserved + randomIndex(random, free));
  for (let i = 0; i < guesses; i++) {
    const value = guess();
    if (!chosen.has(value) && held.get(value) === undefined) return value;
  }
  return searchFree(range, { held, chosen }, random);
}

/** Every value of the range once, from a random one on. */
async function searchFree(
  range: ValueRange,
  { held, chosen }: TakenValues,
  random: Random,
): Promise<string | undefined> {
  const taken = new Set(chosen);
  for (const { key } of held.entries('', '')) {
    taken.add(key);
    if (searching.shouldYield()) await searching.yieldNow();
  }
  const free = range.size - range.reserved;
  const start = randomIndex(random, free);
  for (let i = 0; i < free; i++) {
    const value = range.at(range.reserved + ((start + i) % free));
    if (!taken.has(value)) return value;
    if (searching.shouldYield()) await searching.yieldNow();
  }
  return undefined;
}
