/** What validators of watches ask of a record. */
import type { PastIndex } from './past-index.ts';
import type { Revision, State, WatchedEvent, WatchRecord } from './types.ts';

export type WatchedChange = Exclude<WatchedEvent, { type: 'BOOKMARK' }>;

export function changesOf({ events }: WatchRecord): WatchedChange[] {
  return events.filter((event) => event.type !== 'BOOKMARK');
}

/** The version of the last event or bookmark; undefined if there was none. */
export function lastTold({ events }: WatchRecord): Revision | undefined {
  return events.at(-1)?.version;
}

/**
 * The version after which the watch tells changes; undefined if no state at all was told, or if the one that was told
 * never existed. A state without a version is the last such state before the first event.
 */
export function startOf(watch: WatchRecord, past: PastIndex): Revision | undefined {
  const { start, initial } = watch;
  if (start.kind === 'after') return start.version;
  return initial?.version ?? possibleStarts(watch, past).at(-1);
}

/** Versions of which the first state of a watch may be, with those of all changes between: ascending. */
export function possibleStarts(watch: WatchRecord, past: PastIndex): Revision[] {
  const { initial, collection, filter, events } = watch;
  if (initial === undefined) return [];
  if (initial.version !== undefined) return [initial.version];
  const [event] = events;
  const before = event === undefined ? past.past.head : event.version - (event.type === 'BOOKMARK' ? 0 : 1);
  const oldest = Math.max(0, ...initial.items.map(({ version }) => version));
  const turns = past.steps(collection).map(({ revision }) => revision);
  return [oldest, ...turns.filter((turn) => turn > oldest && turn < before), before].filter((revision) =>
    sameStates(past.stateAt(collection, filter, revision), initial.items),
  );
}

/** Whether all that a watch told can be of a past: nothing that this does not have, and nothing left out. */
export function isOfPast(watch: WatchRecord, past: PastIndex): boolean {
  const { collection, filter, initial, events } = watch;
  const { head, base } = past.past;
  const start = startOf(watch, past);
  if (initial !== undefined && (start === undefined || start < base || start > head)) return false;
  if (initial !== undefined && !sameStates(past.stateAt(collection, filter, start ?? 0), initial.items))
    return false;
  if (events.some(({ version }) => version > head)) return false;
  const last = lastTold(watch) ?? 0;
  const expected = past.expected(collection, filter, start ?? 0, last);
  const nameOf = (
    type: string,
    { key, version }: { key: string; version: Revision },
    value: string,
  ): string => JSON.stringify([type, key, version, value]);
  const told = new Set(changesOf(watch).map((event) => nameOf(event.type, event, event.value)));
  const had = new Set(expected.map((event) => nameOf(event.type, event, event.state.value)));
  // Whoever broke it off may have cut within the last revision, unless a bookmark covers that.
  const isCovered = events.some(({ type, version }) => type === 'BOOKMARK' && version >= last);
  const whole = expected.filter(({ version }) => version < last || isCovered);
  return (
    [...told].every((name) => had.has(name)) &&
    whole.every((event) => told.has(nameOf(event.type, event, event.state.value)))
  );
}

/** Whether two states of a collection are the same, in the same order. */
export function sameStates(one: readonly State[], other: readonly State[]): boolean {
  return one.length === other.length && one.every((state, index) => sameState(state, other[index]));
}

function sameState(one: State, other: State | undefined): boolean {
  return (
    other !== undefined &&
    one.key === other.key &&
    one.version === other.version &&
    one.value === other.value &&
    (one.uid === undefined || other.uid === undefined || one.uid === other.uid)
  );
}

/** Where two states of a collection differ, in words; '' if they do not. */
export function difference(told: readonly State[], truth: readonly State[]): string {
  const words = ({ key, version, value }: State): string => `${key}=${value} at ${version}`;
  const has = (states: readonly State[], state: State): boolean =>
    states.some((other) => sameState(state, other));
  const extra = told.filter((state) => !has(truth, state)).map((state) => `shows ${words(state)}`);
  const missing = truth.filter((state) => !has(told, state)).map((state) => `lacks ${words(state)}`);
  const all = [...extra, ...missing];
  if (all.length === 0) return sameStates(told, truth) ? '' : 'is not in the order of its keys, or repeats';
  return all.slice(0, 3).join(', ') + (all.length > 3 ? ` and ${String(all.length - 3)} more` : '');
}
