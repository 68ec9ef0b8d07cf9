/**
 * Conflict handling: reads the current object and retries after a conflict. After a conflict, writers of an object
 * are serialized, each starting from the result of the previous one: only one writer per replica competes with other
 * replicas at a time.
 */
import type { Handoff } from '../../base/keyed-queue.ts';
import { pause } from '../../base/pause.ts';
import { staleConflict, StatusError } from '../../meta/status.ts';
import { objectKey } from '../scope-keys.ts';
import { OutcomeUnknown } from '../storage-errors.ts';
import type { Current } from '../written-entry.ts';
import { currentObject, freshObject } from './current.ts';
import type { Write } from './write.ts';

/** Maximum retries before the client gets the conflict. */
const maxAttempts = 30;

/** The outcome of an attempt. */
export type Outcome<T> =
  /** `left` is the state for the next writer; undefined if the object is deleted. */
  | { readonly kind: 'written'; readonly result: T; readonly left: Current | undefined }
  /** There is nothing to write. No transaction confirmed that, so it holds of the newest state only. */
  | { readonly kind: 'unchanged'; readonly result: T }
  /** Another writer was first. `newest` undefined: read the object again. `name`: the one that is taken. */
  | { readonly kind: 'lost'; readonly newest?: Current | undefined; readonly name?: string };

/** An attempt of a write on the current object; undefined if it does not exist. */
export type Attempt<T> = (current: Current | undefined) => Promise<Outcome<T>>;

type Contender = Pick<Write, 'deps' | 'scope' | 'name'>;

/**
 * Retries an attempt while it conflicts.
 * @throws the error of the attempt, StatusError 409 after too many attempts
 */
export async function contend<T>(write: Contender, attempt: Attempt<T>): Promise<T> {
  const { deps, scope, name } = write;
  const { writerQueue } = deps;
  // A dry run does not conflict, and no transaction protects it from a stale view.
  if (scope.dryRun || !writerQueue) return attempts(write, attempt, await freshObject(deps, scope, name));
  const key = `${scope.resource.storage.collection}/${objectKey(scope, name)}`;
  let lost: Current | undefined;
  if (!writerQueue.isBusy(key)) {
    const outcome = await attemptFrom(write, attempt, await currentObject(deps, scope, name));
    if (outcome.kind !== 'lost') return outcome.result;
    lost = outcome.newest ?? (await freshObject(deps, scope, name));
  }
  return writerQueue.run(key, (handoff) => attemptInTurn(write, attempt, { lost, handoff }));
}

interface Turn {
  readonly lost: Current | undefined;
  readonly handoff: Handoff<Current>;
}

/** Starts from the newest known state: of the conflict, or of the previous writer. */
async function attemptInTurn<T>(write: Contender, attempt: Attempt<T>, { lost, handoff }: Turn): Promise<T> {
  const { deps, scope, name } = write;
  scope.signal.throwIfAborted();
  const left = handoff.latest;
  const isLeftNewer = left && (!lost || left.entry.modRevision > lost.entry.modRevision);
  const start = (isLeftNewer ? left : lost) ?? (await currentObject(deps, scope, name));
  return attempts(write, attempt, start, handoff);
}

async function attempts<T>(
  write: Contender,
  attempt: Attempt<T>,
  start: Current | undefined,
  handoff?: Handoff<Current>,
): Promise<T> {
  const { deps, scope, name } = write;
  let current = start;
  for (let count = 1; ; count++) {
    const outcome = await attemptFrom(write, attempt, current);
    if (outcome.kind !== 'lost') {
      if (handoff && outcome.kind === 'written') handoff.latest = outcome.left;
      return outcome.result;
    }
    if (count >= maxAttempts) throw staleConflict(scope.resource.gvr, name);
    if (count > 2) await pause(deps.clock, deps.random.number() * 4 * count, scope.signal);
    scope.signal.throwIfAborted();
    current = outcome.newest ?? (await freshObject(deps, scope, name));
  }
}

/**
 * A result without a transaction is valid only for the newest state: if the view was stale, the write is retried. What may
 * have taken effect is not, since others may have built on it.
 */
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
    const mayBeStale = error instanceof StatusError && !(error instanceof OutcomeUnknown);
    const newer = mayBeStale ? await newerThan(write, current) : undefined;
    if (newer) return newer;
    throw error;
  }
}

/** The newest state, if the attempt started from an older one. */
async function newerThan(
  { deps, scope, name }: Contender,
  { entry }: Current,
): Promise<{ readonly kind: 'lost'; readonly newest: Current | undefined } | undefined> {
  const newest = await freshObject(deps, scope, name);
  return newest?.entry.modRevision === entry.modRevision ? undefined : { kind: 'lost', newest };
}
