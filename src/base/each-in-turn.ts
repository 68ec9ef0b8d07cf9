/** Loops over many items that share the time of the thread with other loops. */
import type { SharedSlice } from './cooperate.ts';
import { unlessAborted } from './pause.ts';

/** Items between two looks at the clock, and their bytes where they have some: metadata of a megabyte take tens of milliseconds. */
const atOnce = 8;
const bytesAtOnce = 16 * 1024;

export interface Turns<T> {
  readonly slice: SharedSlice;
  readonly signal: AbortSignal;
  /** How much there is to do for an item; absent: about the same for all. */
  readonly bytesOf?: (item: T) => number;
}

/** Handles the items in order, in slices; a promise of `handle` is awaited. Rejects with the reason of the signal once that is aborted. */
export async function eachInTurn<T>(
  items: Iterable<T>,
  handle: (item: T) => unknown,
  { slice, signal, bytesOf }: Turns<T>,
): Promise<void> {
  let [handled, bytes] = [atOnce, 0];
  for (const item of items) {
    if (handled >= atOnce || bytes >= bytesAtOnce) {
      [handled, bytes] = [0, 0];
      if (slice.shouldYield()) await unlessAborted(slice.yieldNow(), signal);
    }
    const pause = handle(item);
    if (pause instanceof Promise) await unlessAborted(pause, signal);
    handled += 1;
    bytes += bytesOf?.(item) ?? 0;
  }
}
