/** Older events are handed over in portions, between which the subscriber is asked whether it can take more. */
import type { StoredEvent } from '../types.ts';
import { costOf } from './event-ring.ts';

const portionBytes = 256 * 1024;
/** Whoever looks into each takes some milliseconds for so many. */
const portionEvents = 100;

/** Splits events that are in revision order, never parting those of one revision. */
export function* portions(
  events: readonly StoredEvent[],
): Generator<readonly StoredEvent[], void, undefined> {
  let start = 0;
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const isWhole = event.revision !== events[index - 1]?.revision;
    const isFull = bytes >= portionBytes || index - start >= portionEvents;
    if (isFull && isWhole) {
      yield events.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += costOf(event);
  }
  if (start < events.length) yield events.slice(start);
}
