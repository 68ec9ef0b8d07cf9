/** Past events are delivered in portions, with backpressure in between. */
import type { StoredEvent } from '../types.ts';
import { costOf } from './event-ring.ts';

const portionBytes = 256 * 1024;
/** A filter takes some milliseconds for this number of events. */
const portionEvents = 100;

/** Splits events in revision order, never within a revision. */
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
