/** Cuts an answer of a watch that is larger than etcd's requests may be, between any two events. */
import { eventSize, watchHeadSize } from './message-size.ts';
import type { WatchEvent, WatchResponse } from './messages.ts';

/** The answer in parts; all but the last say that another follows. */
export function fragmentsOf(response: WatchResponse, maxBytes: number): readonly WatchResponse[] {
  const { events } = response;
  const sizes = events.map(eventSize);
  const total = sizes.reduce((sum, size) => sum + size, watchHeadSize(response));
  if (total < maxBytes || events.length < 2) return [response];
  const head = watchHeadSize({ ...response, fragment: true });
  const parts: WatchEvent[][] = [];
  let size = Infinity;
  for (const [index, event] of events.entries()) {
    size += sizes[index] ?? 0;
    if (size >= maxBytes) {
      parts.push([]);
      size = head + (sizes[index] ?? 0);
    }
    parts.at(-1)?.push(event);
  }
  return parts.map((part, index) => ({ ...response, fragment: index < parts.length - 1, events: part }));
}
