/**
 * An etcd that loses, doubles, delays or reorders events, as some releases have done: what a replica reads is then wrong
 * until it compares itself with etcd, and right again after that.
 */
import type { EtcdEvent, WatchResponse } from '../../../src/storage/etcd/message-types.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Streams whose events have no previous state are those that replicas follow. */
function isFollowed({ events }: WatchResponse): boolean {
  return events.length > 0 && events.every(({ prev_kv: before }) => before == null);
}

/** Changes about one of so many answers of a stream. @param isOver no more defects from then on */
export function losesEvents(random: SeededRandom, isOver: () => boolean): (answer: object) => object[] {
  const held: WatchResponse[] = [];
  return (answer) => {
    const response = answer as WatchResponse;
    if (!('events' in answer) || !isFollowed(response)) return [answer];
    const late = held.splice(0);
    if (late.length > 0) return random.chance(0.5) ? [answer, ...late] : [joined(response, late)];
    if (isOver() || !random.chance(0.05)) return [answer];
    switch (random.weighted({ lost: 3, doubled: 1, reversed: 1, delayed: 1 })) {
      case 'lost':
        return [{ ...response, events: without(response.events, random) }];
      case 'doubled':
        return [response, response];
      case 'reversed':
        return [{ ...response, events: response.events.toReversed() }];
      case 'delayed':
        held.push(response);
        return [];
    }
  };
}

/** All events in one response, the late ones behind the newer ones. */
function joined(response: WatchResponse, late: readonly WatchResponse[]): WatchResponse {
  return { ...response, events: [...response.events, ...late.flatMap(({ events }) => events)] };
}

function without(events: readonly EtcdEvent[], random: SeededRandom): readonly EtcdEvent[] {
  const lost = random.below(events.length);
  return events.filter((_event, index) => index !== lost);
}
