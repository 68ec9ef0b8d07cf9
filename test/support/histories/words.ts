/** Records in words, as violations name them. */
import type { Expected } from './past-index.ts';
import type { Filter, GetRecord, ListRecord, WatchedEvent, WatchRecord, WriteRecord } from './types.ts';

export function wordsOfFilter({ prefix, exactKey, labels }: Filter): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const place = exactKey === true ? `${prefix} alone` : prefix === '' ? 'everything' : `${prefix}*`;
  return pairs.length === 0 ? place : `${place} with ${pairs.join(',')}`;
}

function by({ id, client, replica }: { id: string; client: string; replica: string }): string {
  return `${id} of ${client}${replica === '' ? '' : ` at ${replica}`}`;
}

export function wordsOfGet(get: GetRecord): string {
  return `get ${by(get)} of ${get.key} (${wordsOfFreshness(get)}) [${get.call}, ${get.end}]`;
}

export function wordsOfList(list: ListRecord): string {
  return `list ${by(list)} of ${wordsOfFilter(list.filter)} (${wordsOfFreshness(list)}) [${list.call}]`;
}

function wordsOfFreshness({ freshness }: Pick<GetRecord, 'freshness'>): string {
  return 'revision' in freshness ? `${freshness.kind} ${freshness.revision}` : freshness.kind;
}

export function wordsOfWrite(write: WriteRecord): string {
  const what = write.value === '' ? write.key : `${write.key}=${write.value}`;
  const condition = write.expected === undefined ? '' : ` if at ${write.expected}`;
  return `${write.verb} ${by(write)} of ${what}${condition} [${write.call}, ${write.end ?? 'unknown'}]`;
}

export function wordsOfWatch(watch: WatchRecord): string {
  const start =
    watch.start.kind === 'after' ? `after ${watch.start.version}` : `state ${watch.initial?.version ?? ''}`;
  return `watch ${by(watch)} of ${wordsOfFilter(watch.filter)} from ${start}`;
}

export function wordsOfEvent(event: WatchedEvent): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.version}`;
  return `${event.type} ${event.key}=${event.value} at ${event.version}`;
}

/** A change that was to be told. */
export function wordsOfExpected({ type, key, version, state }: Expected): string {
  return `${type} ${key}=${state.value} at ${version}`;
}
