/**
 * Whether operations fit into the order of commits in real time: each has places in that order where it may have taken
 * effect, and one that began after another had ended is not before it. Since the order is known, the first possible
 * place of each is found in one pass over the points of the clock; no search is needed.
 *
 * Places are numbers: 2r is the commit of revision r, 2r + 1 is behind it and before the next.
 */
import { Violations } from './violations.ts';
import type { Point, Revision } from './types.ts';

export interface Timed {
  readonly call: Point;
  /** undefined: nobody was told that it is over. */
  readonly end: Point | undefined;
  readonly words: string;
  /** The first possible place that is not before `lower`; undefined if there is none. */
  readonly place: (lower: number) => number | undefined;
}

export function commitPlace(revision: Revision): number {
  return 2 * revision;
}

/** Behind the commit. */
export function statePlace(revision: Revision): number {
  return 2 * revision + 1;
}

/** A place between two revisions, the first inclusive: of who saw what was from one until the other. */
export function within(from: Revision, until: Revision): Timed['place'] {
  return (lower) => {
    const place = Math.max(lower, statePlace(from));
    return place < commitPlace(until) ? place : undefined;
  };
}

/** Operations that have no place, in words. @param from the place that the order begins with */
export function misplaced(operations: readonly Timed[], from = 0): string[] {
  const found = new Violations();
  const points = operations.flatMap((operation) => [
    { at: operation.call, operation, isEnd: false },
    ...(operation.end === undefined ? [] : [{ at: operation.end, operation, isEnd: true }]),
  ]);
  const places = new Map<Timed, number>();
  let lower = from;
  let because = 'the beginning of this past';
  for (const { operation, isEnd } of points.sort((a, b) => a.at - b.at)) {
    if (!isEnd) {
      const place = operation.place(lower);
      if (place === undefined) found.add(`${operation.words} comes after ${because}`);
      else places.set(operation, place);
      continue;
    }
    const place = places.get(operation) ?? 0;
    if (place <= lower) continue;
    lower = place;
    because = operation.words;
  }
  return found.list();
}
