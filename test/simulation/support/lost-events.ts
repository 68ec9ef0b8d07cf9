/**
 * An etcd that loses, doubles or reorders events, as some releases have done: what a replica reads is then wrong until
 * it compares itself with etcd, and right again after that.
 */
import type { EtcdEvent, WatchResponse } from '../../../src/storage/etcd/message-types.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Streams whose events have no previous state are those that replicas follow. */
function isFollowed({ events }: WatchResponse): boolean {
  return events.length > 0 && events.every(({ prev_kv: before }) => before == null);
}

/** Changes about one of so many answers. @param isOver no more defects from then on */
export function losesEvents(random: SeededRandom, isOver: () => boolean): (answer: object) => object[] {
  return (answer) => {
    const response = answer as WatchResponse;
    if (isOver() || !('events' in answer) || !isFollowed(response) || !random.chance(0.05)) return [answer];
    switch (random.weighted({ lost: 3, doubled: 1, reversed: 1 })) {
      case 'lost':
        return [{ ...response, events: without(response.events, random) }];
      case 'doubled':
        return [response, response];
      case 'reversed':
        return [{ ...response, events: response.events.toReversed() }];
    }
  };
}

function without(events: readonly EtcdEvent[], random: SeededRandom): readonly EtcdEvent[] {
  const lost = random.below(events.length);
  return events.filter((_event, index) => index !== lost);
}
