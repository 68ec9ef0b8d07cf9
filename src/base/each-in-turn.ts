/** Loops over many items that share the time of the thread with other loops. */
import type { SharedSlice } from './cooperate.ts';
import { unlessAborted } from './pause.ts';

/** Handles the items in order, in slices. Rejects with the reason of the signal once that is aborted. */
export async function eachInTurn<T>(
  items: Iterable<T>,
  handle: (item: T) => void,
  { slice, signal }: { readonly slice: SharedSlice; readonly signal: AbortSignal },
): Promise<void> {
  for (const item of items) {
    if (slice.shouldYield()) await unlessAborted(slice.yieldNow(), signal);
    handle(item);
  }
}
