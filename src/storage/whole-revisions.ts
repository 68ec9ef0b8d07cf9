/** Cuts the events of an answer into parts, between revisions. */
import type { EtcdEvent } from './etcd/message-types.ts';
import { numberOf } from './etcd/etcd-messages.ts';

/** Events of a response that are applied at once; etcd sends a thousand and more to those who were away. */
export const eventsAtOnce = 32;

/** Parts of about as many events; those of a revision stay together. */
export function* wholeRevisions(events: readonly EtcdEvent[]): Generator<readonly EtcdEvent[], void, void> {
  let begin = 0;
  for (let end = eventsAtOnce; end < events.length; end += 1) {
    if (end - begin < eventsAtOnce || isSameRevision(events[end - 1], events[end])) continue;
    yield events.slice(begin, end);
    begin = end;
  }
  yield events.slice(begin);
}

function isSameRevision(a: EtcdEvent | undefined, b: EtcdEvent | undefined): boolean {
  return numberOf(a?.kv.mod_revision ?? 0) === numberOf(b?.kv.mod_revision ?? 0);
}
