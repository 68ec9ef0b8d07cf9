/**
 * Joins fragments of watch responses. etcd collects up to a thousand revisions in one response, which can be a
 * gigabyte. With fragments (since 3.4) it splits at its request size limit, between any two events. Events of one
 * revision are kept together here, so that no watcher sees half of a transaction.
 */
import type { EtcdEvent, WatchResponse } from './message-types.ts';
import { numberOf } from './etcd-messages.ts';

export class FragmentJoiner {
  /** Events of a revision that continues in the next fragment; bounded by the transaction limit of etcd. */
  #held: readonly EtcdEvent[] = [];

  /** The response with events of complete revisions only; undefined if there are none yet. */
  join(response: WatchResponse): WatchResponse | undefined {
    if (!response.fragment && this.#held.length === 0) return response;
    const events = [...this.#held, ...response.events];
    const whole = response.fragment ? wholeRevisions(events) : events.length;
    this.#held = events.slice(whole);
    return whole === 0 ? undefined : withEvents(response, events.slice(0, whole));
  }
}

/** Fields are listed one by one, as defaults of a decoded message are on its prototype. */
function withEvents(response: WatchResponse, events: readonly EtcdEvent[]): WatchResponse {
  const { header, created, canceled, compact_revision, cancel_reason, fragment } = response;
  return { header, created, canceled, compact_revision, cancel_reason, fragment, events };
}

/** Number of events before those of the last revision. */
function wholeRevisions(events: readonly EtcdEvent[]): number {
  const revisionAt = (index: number): number => numberOf(events[index]?.kv.mod_revision ?? 0);
  let whole = events.length;
  while (whole > 0 && revisionAt(whole - 1) === revisionAt(events.length - 1)) whole -= 1;
  return whole;
}
