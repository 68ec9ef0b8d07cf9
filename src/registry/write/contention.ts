/**
 * Where writers meet: reading the current object, and what happens when another writer was first. Writers that lost
 * once, and those that come while there are such, take turns, each starting from what the one before wrote: only one of
 * a replica's writers at a time competes with other replicas, however many want the object.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Lane } from '../../base/turns.ts';
import { staleConflict, StatusError } from '../../meta/status.ts';
import { objectKey } from '../scope-keys.ts';
import type { Current } from '../entry.ts';
import { currentObject, freshObject } from './current.ts';
import type { Write } from './write.ts';

/** How often a write starts again before the client gets the conflict. */
const maxAttempts = 30;

/** How an attempt ended. */
export type Outcome<T> =
  /** `left`: what the next writer may start from; undefined when the object is gone. */
  | { readonly kind: 'written'; readonly result: T; readonly left: Current | undefined }
  /** There is nothing to write. No transaction confirmed that, so it holds of the newest state only. */
  | { readonly kind: 'unchanged'; readonly result: T }
  /** Another writer was first. `newest` undefined: read the object again. `name`: the one that is taken. */
  | { readonly kind: 'lost'; readonly newest?: Current | undefined; readonly name?: string };

/** One try of a write, from the object as it is; undefined: there is none. */
export type Attempt<T> = (current: Current | undefined) => Promise<Outcome<T>>;

type Contender = Pick<Write, 'deps' | 'scope' | 'name'>;

/** Repeats an attempt until it is no longer too late. @throws what it throws, StatusError 409 after too many attempts */
export async function contend<T>(write: Contender, attempt: Attempt<T>): Promise<T> {
  const { deps, scope, name } = write;
  const { turns } = deps;
  // A dry run competes with no writer, and no transaction guards it against a view that is behind.
  if (scope.dryRun || !turns) return attempts(write, attempt, await freshObject(deps, scope, name));
  const key = `${scope.resource.storage.collection}/${objectKey(scope, name)}`;
  let lost: Current | undefined;
  if (!turns.isTaken(key)) {
    const outcome = await attemptFrom(write, attempt, await currentObject(deps, scope, name));
    if (outcome.kind !== 'lost') return outcome.result;
    lost = outcome.newest ?? (await freshObject(deps, scope, name));
  }
  return turns.use(key, (lane) => inTurn(write, attempt, { lost, lane }));
}

interface Turn {
  readonly lost: Current | undefined;
  readonly lane: Lane<Current>;
}

/** From the newest state that is known: the one that this write lost against, or the one that the writer before left. */
async function inTurn<T>(write: Contender, attempt: Attempt<T>, { lost, lane }: Turn): Promise<T> {
  const { deps, scope, name } = write;
  scope.signal.throwIfAborted();
  const left = lane.latest;
  const isLeftNewer = left && (!lost || left.entry.modRevision > lost.entry.modRevision);
  const start = (isLeftNewer ? left : lost) ?? (await currentObject(deps, scope, name));
  return attempts(write, attempt, start, lane);
}

async function attempts<T>(
  write: Contender,
  attempt: Attempt<T>,
  start: Current | undefined,
  lane?: Lane<Current>,
): Promise<T> {
  const { deps, scope, name } = write;
  let current = start;
  for (let count = 1; ; count++) {
    const outcome = await attemptFrom(write, attempt, current);
    if (outcome.kind !== 'lost') {
      if (lane && outcome.kind === 'written') lane.latest = outcome.left;
      return outcome.result;
    }
    if (count >= maxAttempts) throw staleConflict(scope.resource.gvr, name);
    if (count > 2) await delay(Math.random() * 4 * count, undefined, { signal: scope.signal });
    current = outcome.newest ?? (await freshObject(deps, scope, name));
  }
}

/** What no transaction confirms counts only of the newest state: where the view was behind, the write starts again. */
async function attemptFrom<T>(
  write: Contender,
  attempt: Attempt<T>,
  current: Current | undefined,
): Promise<Outcome<T>> {
  if (!current || current.fresh) return attempt(current);
  try {
    const outcome = await attempt(current);
    return outcome.kind === 'unchanged' ? ((await newerThan(write, current)) ?? outcome) : outcome;
  } catch (error) {
    const newer = error instanceof StatusError ? await newerThan(write, current) : undefined;
    if (newer) return newer;
    throw error;
  }
}

/** The attempt started from a state that is no longer the newest. */
async function newerThan(
  { deps, scope, name }: Contender,
  { entry }: Current,
): Promise<{ readonly kind: 'lost'; readonly newest: Current | undefined } | undefined> {
  const newest = await freshObject(deps, scope, name);
  return newest?.entry.modRevision === entry.modRevision ? undefined : { kind: 'lost', newest };
}
