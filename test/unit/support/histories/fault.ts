/** What a fault of a named kind is, and what is needed to put one into a copy of a right history. */
import type { ValidatorName } from '../../../support/histories/validate.ts';
import type { History, State, Truth } from '../../../support/histories/types.ts';

export type Mutable<T> = T extends number | string | boolean | undefined
  ? T
  : { -readonly [K in keyof T]: Mutable<T[K]> };

export type MutableHistory = Mutable<History>;
export interface Fault {
  readonly what: string;
  readonly foundBy: ValidatorName;
  /** False if the history has no place for it. */
  readonly put: (history: MutableHistory, truth: Truth, pick: (below: number) => number) => boolean;
}

/** One of what there is; undefined if there is nothing. */
export function oneOf<T>(all: readonly T[], pick: (below: number) => number): T | undefined {
  return all[pick(Math.max(1, all.length))];
}

/** Points after everything else. */
export function afterwards(history: MutableHistory): () => number {
  const ends = [
    ...history.gets.map(({ end }) => end),
    ...history.writes.map(({ call, end }) => end ?? call),
    ...history.watches.map(({ ending }) => ending.at),
    ...history.lists.flatMap(({ pages }) => pages.map(({ end }) => end)),
  ];
  let last = Math.max(0, ...ends) + 1;
  return () => (last += 1);
}

export function newGet(history: MutableHistory, state: State): MutableHistory['gets'][number] {
  const now = afterwards(history);
  return {
    ...{ id: 'late', client: 'late', replica: 'late', collection: 'core/configmaps' },
    ...{ call: now(), end: now(), key: state.key, freshness: { kind: 'mostRecent' } },
    answer: { found: { ...state } },
  };
}

/** A state that another one followed. */
export function overwritten(
  truth: Truth,
  pick: (below: number) => number,
): { readonly state: State; readonly until: number } | undefined {
  const commits = truth.pasts[0]?.commits ?? [];
  const ended = commits.flatMap(({ revision, changes }) =>
    changes.flatMap(({ key, put }) => {
      const end = commits.find(
        (later) => later.revision > revision && later.changes.some((c) => c.key === key),
      );
      return put && end ? [{ state: { ...put, key, version: revision }, until: end.revision }] : [];
    }),
  );
  return oneOf(ended, pick);
}
