/** The places of operations in the order of commits (`sweep.ts`), from what their clients were told. */
import type { PastIndex, Step } from './past-index.ts';
import { commitPlace, statePlace, within, type Timed } from './sweep.ts';
import type { TruthIndex } from './truth-index.ts';
import { possibleStarts } from './watched.ts';
import { wordsOfEvent, wordsOfGet, wordsOfList, wordsOfWatch, wordsOfWrite } from './words.ts';
import type { GetRecord, ListRecord, Point, Revision, WatchRecord, WriteRecord } from './types.ts';

/** An operation, and the past that it is of. */
export interface Placed extends Timed {
  readonly past: PastIndex;
}

/** A get that found a state, or none; undefined for an error, and where it is open of which past it is. */
export function placeOfGet(get: GetRecord, index: TruthIndex): Placed | undefined {
  if ('error' in get.answer) return undefined;
  const { found } = get.answer;
  const { collection, key, call, end } = get;
  const [past, ...others] = index.pastsOfGet(get);
  if (others.length > 0) return undefined;
  const told = found === undefined ? 'nothing' : `${found.value} at ${found.version}`;
  const words = `${wordsOfGet(get)}, which found ${told},`;
  if (found === undefined) {
    const place = placeOfKey(past, { collection, key }, (step) => step?.put === undefined);
    return { call, end, words, past, place };
  }
  const next = past.stepsOf(collection, key)[past.stepsUpTo(collection, key, found.version)];
  return { call, end, words, past, place: within(found.version, next?.revision ?? Infinity) };
}

/** A list by its first chunk. */
export function placeOfList(list: ListRecord, index: TruthIndex): Placed | undefined {
  const [first] = list.pages;
  if (first === undefined) return undefined;
  const { call, end, version, items } = first;
  const [past, ...others] = index.pastsOfList(list, first);
  if (others.length > 0) return undefined;
  const next = past.nextChange(list.collection, list.filter, version);
  const words = `${wordsOfList(list)}, which found ${items.length} at ${version},`;
  return { call, end, words, past, place: within(version, next) };
}

/** The state that a watch began with. */
export function placeOfInitial(watch: WatchRecord, index: TruthIndex): Placed | undefined {
  const { call, initial, collection, filter } = watch;
  if (initial === undefined) return undefined;
  const [past, ...others] = index.pastsOfWatch(watch);
  if (others.length > 0) return undefined;
  const starts = possibleStarts(watch, past);
  const [first, last = first] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const words = `${wordsOfWatch(watch)}, which began with ${initial.items.length} at ${first} or later,`;
  const place = within(first, past.nextChange(collection, filter, last));
  return { call, end: initial.at, words, past, place };
}

/** Where a write took effect, or what its refusal says of the object; undefined if it says nothing. */
export function placeOfWrite(write: WriteRecord, index: TruthIndex): Placed | undefined {
  const { outcome, call, end } = write;
  const words = wordsOfWrite(write);
  if (outcome.kind === 'refused') {
    if (end !== undefined && index.pastAt(call) !== index.pastAt(end)) return undefined;
    const past = index.pastAt(call);
    const holds = refusalGround(write);
    const place = holds && placeOfKey(past, write, holds);
    return place && { call, end, words: `${words}, refused (${outcome.reason}),`, past, place };
  }
  // A deletion of unknown outcome may as well not have happened.
  if (outcome.kind === 'unknown' && write.value === '') return undefined;
  // What was removed tells no past.
  const isOfTwo = write.value === '' && index.pastAt(call) !== index.pastAt(end ?? Infinity);
  if (isOfTwo) return undefined;
  for (const past of write.value === '' ? [index.pastAt(call)] : index.pasts) {
    const steps = effectsOf(write, past);
    const [first] = steps;
    if (first === undefined) continue;
    const place = (lower: number): number | undefined =>
      steps.map(({ revision }) => commitPlace(revision)).find((at) => at >= lower);
    const where = steps.length === 1 ? ` at ${first.revision}` : '';
    return { call, end, words: `${words}, which took effect${where},`, past, place };
  }
  return undefined;
}

/** The commits that may be the write. */
function effectsOf({ value, isMark, collection, key }: WriteRecord, past: PastIndex): readonly Step[] {
  if (value !== '') return past.arrivals(collection, key, value);
  return past.stepsOf(collection, key).filter(({ put }) => (put !== undefined) === (isMark === true));
}

/** What must have been so for the refusal; undefined if it says nothing about the object. */
function refusalGround({
  outcome,
  expected,
}: WriteRecord): ((step: Step | undefined) => boolean) | undefined {
  const reason = outcome.kind === 'refused' ? outcome.reason : undefined;
  if (reason === 'exists') return (step) => step?.put !== undefined;
  if (reason === 'notFound') return (step) => step?.put === undefined;
  if (reason !== 'conflict' || expected === undefined) return undefined;
  return (step) => step?.put === undefined || step.revision !== expected;
}

/** Places between the steps of one object where a condition holds. */
function placeOfKey(
  past: PastIndex,
  { collection, key }: { readonly collection: string; readonly key: string },
  holds: (step: Step | undefined) => boolean,
): Timed['place'] {
  const steps = past.stepsOf(collection, key);
  return (lower) => {
    for (let i = past.stepsUpTo(collection, key, lower / 2) - 1; i < steps.length; i += 1) {
      if (holds(steps[i])) return Math.max(lower, statePlace(steps[i]?.revision ?? 0));
    }
    return undefined;
  };
}

/** What anybody was told, with whatever freshness, was there by then. */
export function evidenceOf(
  words: string,
  at: Point,
  { version, past }: { readonly version: Revision; readonly past: PastIndex },
): Placed {
  return { call: at - 0.5, end: at, words, past, place: (lower) => Math.max(lower, statePlace(version)) };
}

/** The events and bookmarks of a watch as evidence. */
export function evidenceOfWatch(watch: WatchRecord, index: TruthIndex): Placed[] {
  const [past, ...others] = index.pastsOfWatch(watch);
  if (others.length > 0) return [];
  const words = wordsOfWatch(watch);
  return watch.events.map((event) => {
    const told = `${words}, which told ${wordsOfEvent(event)},`;
    return evidenceOf(told, event.at, { version: event.version, past });
  });
}
