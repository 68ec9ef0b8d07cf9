/** Query parameters of list, watch and deletecollection. */
import { longestTimerMs } from '../../base/clock.ts';
import { quoted } from '../../base/short-text.ts';
import { badRequest } from '../../meta/status.ts';
import type { StreamingLists } from '../../registry/read/streaming-lists.ts';
import type { ListOptions, WatchQuery } from '../../registry/types.ts';
import type { Query } from '../query.ts';

/** `timeoutSeconds` is only checked: the timeout of requests bounds a list. @throws StatusError 400 for a malformed number */
export function parseListOptions(query: Query, streaming: StreamingLists): ListOptions {
  parseInteger(query, 'timeoutSeconds');
  return {
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
    resourceVersion: query.get('resourceVersion'),
    resourceVersionMatch: query.get('resourceVersionMatch'),
    limit: Math.max(0, parseInteger(query, 'limit') ?? 0),
    continue: query.get('continue'),
    sendInitialEvents: initialEvents(query, streaming),
  };
}

/** `name` is the object name of a deprecated watch path. */
export function parseWatchQuery(query: Query, name: string, streaming: StreamingLists): WatchQuery {
  return {
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
    resourceVersion: query.get('resourceVersion'),
    resourceVersionMatch: query.get('resourceVersionMatch'),
    allowWatchBookmarks: query.flag('allowWatchBookmarks'),
    sendInitialEvents: initialEvents(query, streaming),
    continue: query.get('continue'),
    name,
  };
}

/** A parameter that the release does not know is as if it was not sent. */
function initialEvents(query: Query, streaming: StreamingLists): boolean | undefined {
  return streaming === 'unknown' ? undefined : query.optionalFlag('sendInitialEvents');
}

/** `timeoutSeconds` in milliseconds, 24 days at most; undefined when missing or 0. @throws StatusError 400 */
export function parseTimeoutMs(query: Query): number | undefined {
  const seconds = parseInteger(query, 'timeoutSeconds') ?? 0;
  if (seconds < 0) throw badRequest('timeoutSeconds must not be negative');
  return seconds === 0 ? undefined : Math.min(seconds * 1_000, longestTimerMs);
}

/** An integer parameter of 64 bits, as near as a number can be; undefined when missing or empty. @throws StatusError 400 */
export function parseInteger(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === '') return undefined;
  if (!isInt64(text)) throw badRequest(`invalid query parameter ${name}: ${quoted(text)} is not an integer`);
  return Number(text);
}

/** Clients ask for all by the largest integer there is. */
function isInt64(text: string): boolean {
  if (!/^[-+]?[0-9]{1,19}$/.test(text)) return false;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact;
}
