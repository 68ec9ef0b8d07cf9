/**
 * The write pipeline:
 *
 *   read current ─▶ draft ─▶ admit ─▶ prepare ─▶ validate ─▶ ownership ─▶ commit
 *   contention.ts   draft.ts  admit.ts prepare.ts validate.ts  field-ownership.ts commit.ts
 *        ▲                                                                     │
 *        └──────────── conflict: retry from the newest object ◀──────┘
 *
 * Kinds with addresses or ports of their own get them between validate and validating admission (`allocation/`).
 * Create, replace, patch, apply and the subresources differ only in their `Change`. Deletion shares the first and last step.
 */
import { ObjectAlreadyExists } from '../../meta/object-errors.ts';
import { StorageError } from '../../storage/types.ts';
import { allocate, allocatorOf, type Allocated } from '../allocation/allocate.ts';
import { untilStored } from '../allocation/until-stored.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { addressOf } from '../scope-keys.ts';
import type { RequestScope, WriteResult } from '../types.ts';
import { admit, admitFinal } from './admit.ts';
import { commit } from './commit.ts';
import { contend, type Outcome } from './contention.ts';
import type { Current } from '../written-entry.ts';
import { draftOfCreate, draftOfUpdate } from './draft.ts';
import { settleOwnership } from './field-ownership.ts';
import { untilNameIsFree } from './generated-name.ts';
import { mergeOwnerReferences } from './owner-references.ts';
import { prepare } from './prepare.ts';
import { assertValid, warnOf } from './validate.ts';
import { newWrite, type Change, type Draft, type Write } from './write.ts';

/**
 * Writes a change of an object.
 * @throws ObjectExists, ObjectMissing, StatusError 400, 403, 409, 422
 */
export async function writeObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  change: Change,
): Promise<WriteResult> {
  const write = newWrite(deps, scope, name, change);
  return change.update ? contend(write, (current) => attempt(write, current)) : insert(write);
}

async function insert(write: Write): Promise<WriteResult> {
  const outcome = await attempt(write, undefined);
  if (outcome.kind === 'lost')
    throw new ObjectAlreadyExists(addressOf(write.scope, outcome.name ?? write.name));
  return outcome.result;
}

async function attempt(write: Write, current: Current | undefined): Promise<Outcome<WriteResult>> {
  const draft: Draft = current ? await draftOfUpdate(write, current) : await draftOfCreate(write);
  await write.slice.breathe();
  if (!isPatch(write.change)) mergeOwnerReferences(write, draft, 'sent');
  await admit(write, draft);
  mergeOwnerReferences(write, draft, 'afterAdmission');
  const store = (candidate: Draft): Promise<Outcome<WriteResult>> =>
    untilStored(write, candidate, (repeated) => complete(write, repeated));
  if (draft.base) return store(draft);
  return untilNameIsFree(write, draft, store);
}

/** Of patches only the outcome of admission is looked at. */
function isPatch({ update, isReplace }: Change): boolean {
  return update !== undefined && isReplace !== true;
}

async function complete(write: Write, draft: Draft): Promise<Outcome<WriteResult>> {
  const { slice } = write;
  prepare(write, draft);
  await slice.breathe();
  await assertValid(write, draft);
  warnOf(write, draft);
  const allocator = allocatorOf(write);
  if (allocator) return completeAllocated(write, draft, await allocate(write, draft, allocator));
  await admitFinal(write, draft);
  await slice.breathe();
  await settleOwnership(write, draft);
  await slice.breathe();
  return commit(write, draft);
}

/** The writer owns what it sent, not what was chosen for it. */
async function completeAllocated(
  write: Write,
  draft: Draft,
  allocated: Allocated,
): Promise<Outcome<WriteResult>> {
  const { object, claims } = allocated;
  const final = { ...draft, object };
  await admitFinal(write, final);
  await settleOwnership(write, draft);
  const { managedFields } = draft.object.metadata;
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
  try {
    return await commit(write, final, claims);
  } catch (error) {
    throw error instanceof StorageError && error.code === 'claimTaken' ? allocated.explain(error) : error;
  }
}
