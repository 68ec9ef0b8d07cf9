/**
 * Answers of a watch in fragments. etcd collects up to a thousand revisions in one answer, which can be a gigabyte;
 * asked for fragments (since 3.4) it cuts where its limit of a request is reached, between any two events. One
 * revision's events are kept together here, so that nobody sees half of a transaction.
 */
import type { EtcdEvent, WatchResponse } from './message-types.ts';
import { numberOf } from './messages.ts';

export class FragmentJoiner {
  /** Events of a revision that goes on in the next fragment; as many as etcd lets into a transaction. */
  #held: readonly EtcdEvent[] = [];

  /** The answer with the events of whole revisions only; undefined when it has none, because all are held back. */
  join(response: WatchResponse): WatchResponse | undefined {
    if (!response.fragment && this.#held.length === 0) return response;
    const events = [...this.#held, ...response.events];
    const whole = response.fragment ? wholeRevisions(events) : events.length;
    this.#held = events.slice(whole);
    return whole === 0 ? undefined : withEvents(response, events.slice(0, whole));
  }
}

/** A decoded message has its defaults from its prototype, so that each field is named. */
function withEvents(response: WatchResponse, events: readonly EtcdEvent[]): WatchResponse {
  const { header, created, canceled, compact_revision, cancel_reason, fragment } = response;
  return { header, created, canceled, compact_revision, cancel_reason, fragment, events };
}

/** How many events come before those of the last revision. */
function wholeRevisions(events: readonly EtcdEvent[]): number {
  const revisionAt = (index: number): number => numberOf(events[index]?.kv.mod_revision ?? 0);
  let whole = events.length;
  while (whole > 0 && revisionAt(whole - 1) === revisionAt(events.length - 1)) whole -= 1;
  return whole;
}
