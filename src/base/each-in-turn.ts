/** Loops over many items that share the time of the thread with other loops. */
import type { SharedSlice } from './cooperate.ts';
import { unlessAborted } from './pause.ts';

/** Items between two looks at the clock. */
const atOnce = 8;

/** Handles the items in order, in slices. Rejects with the reason of the signal once that is aborted. */
export async function eachInTurn<T>(
  items: Iterable<T>,
  handle: (item: T) => void,
  { slice, signal }: { readonly slice: SharedSlice; readonly signal: AbortSignal },
): Promise<void> {
  let handled = 0;
  for (const item of items) {
    if (handled % atOnce === 0 && slice.shouldYield()) await unlessAborted(slice.yieldNow(), signal);
    handle(item);
    handled += 1;
  }
}
