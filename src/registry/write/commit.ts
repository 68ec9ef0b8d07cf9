/** Last step of a write: the transaction, with the revision of the current object as precondition. */
import type { ApiObject } from '../../meta/object.ts';
import type { Claims, Entry, StorageWrites, WriteReceipt } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import { newEntry, writtenEntry } from '../written-entry.ts';
import { claimsOfDeletion } from '../allocation/claims.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { toStatusError, type RequestedObject } from '../storage-errors.ts';
import { addressOf, objectKey } from '../scope-keys.ts';
import type { WriteResult } from '../types.ts';
import type { Outcome } from './contention.ts';
import type { Current } from '../written-entry.ts';
import { freshObject } from './current.ts';
import { nameOf } from './decode.ts';
import { isReadyToGo } from './finalizers.ts';
import { storableBytes } from './storable.ts';
import { isUnchanged } from './unchanged.ts';
import type { Base, CreateDraft, Draft, Write } from './write.ts';

/**
 * Stores the draft unless it changes nothing.
 * @param claims what the transaction takes and gives back
 * @throws StatusError of the storage; StorageError `claimTaken`
 */
export async function commit(write: Write, draft: Draft, claims?: Claims): Promise<Outcome<WriteResult>> {
  if (!draft.base) return create(write, draft, claims);
  const { object, base } = draft;
  const bytes = storableBytes(object);
  if (isUnchanged({ object, bytes }, { object: base.object, entry: base.current.entry })) {
    const { entry } = base.current;
    if (!base.isRemembered && bytes.equals(entry.bytes))
      write.deps.written?.setWritten(entry, object, undefined);
    return { kind: 'unchanged', result: { entry, created: false } };
  }
  return update(write, { object, base, bytes, claims });
}

async function create(
  write: Write,
  { object, precondition }: CreateDraft,
  claims: Claims | undefined,
): Promise<Outcome<WriteResult>> {
  const { deps, scope } = write;
  const { collection } = scope.resource.storage;
  const name = nameOf(object.metadata);
  const key = objectKey(scope, name);
  const bytes = storableBytes(object);
  try {
    const receipt = scope.dryRun
      ? await rehearsedCreate(write, name, bytes)
      : await precondition.under((condition) =>
          writesOf(deps, claims).create(collection, key, bytes, condition),
        );
    const entry = writtenEntry({ collection, key }, bytes, receipt);
    return { kind: 'written', result: { entry, created: true }, left: undefined };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'exists') return { kind: 'lost', name };
    throw statusOrTaken(error, addressOf(scope, name));
  }
}

/** The storage, or its writes with claims. */
export function writesOf({ storage }: RegistryDeps, claims: Claims | undefined): StorageWrites {
  return claims ? storage.claiming(claims) : storage;
}

/** What is taken can be chosen again (`allocation/`); other errors of the storage are a Status. */
function statusOrTaken(error: unknown, requested: RequestedObject): unknown {
  const isTaken = error instanceof StorageError && error.code === 'claimTaken';
  return isTaken ? error : toStatusError(error, requested);
}

/** A dry run checks that the name is free instead of the transaction, and converts as it would. */
async function rehearsedCreate({ deps, scope }: Write, name: string, bytes: Buffer): Promise<WriteReceipt> {
  if (await freshObject(deps, scope, name)) throw new StorageError('exists', 'the object exists');
  const placed = { collection: scope.resource.storage.collection, key: objectKey(scope, name) };
  const shown = await deps.rehearse?.(placed, bytes);
  return { revision: 0, ...(shown && { bytes: shown }) };
}

interface Update {
  readonly object: ApiObject;
  readonly base: Base;
  readonly bytes: Buffer;
  readonly claims: Claims | undefined;
}

/** A terminating object is deleted by the write that removes its last finalizer. */
async function update(write: Write, { object, base, bytes, claims }: Update): Promise<Outcome<WriteResult>> {
  const { deps, scope } = write;
  const { entry } = base.current;
  const { collection } = scope.resource.storage;
  const isLast = isReadyToGo(object);
  return transact(write, async () => {
    if (scope.dryRun) {
      const shown = (await deps.rehearse?.(entry, bytes)) ?? bytes;
      return updated(newEntry(collection, entry.key, shown, entry.modRevision));
    }
    const receipt = isLast
      ? await writesOf(deps, releasedWith(write, base.object)).delete(
          collection,
          entry.key,
          entry.modRevision,
        )
      : await writesOf(deps, claims).update(collection, entry.key, bytes, entry.modRevision);
    const written = writtenEntry(entry, bytes, receipt);
    if (!isLast && !receipt.bytes)
      deps.written?.setWritten(written, object, base.isRemembered ? base.object : undefined);
    return updated(written, isLast);
  });
}

function updated(entry: Entry, isGone = false): Outcome<WriteResult> {
  return { kind: 'written', result: { entry, created: false }, left: isGone ? undefined : leftOf(entry) };
}

/** What the deletion of a stored object gives back. */
export function releasedWith({ deps, scope }: Write, stored: ApiObject): Claims | undefined {
  return deps.ranges && claimsOfDeletion(scope.resource.definition.strategy.allocation, stored);
}

/** The state for the next writer; not fresh, as another replica may have written since. */
export function leftOf(entry: Entry): Current {
  return { entry, fresh: false };
}

/** Runs a transaction on an existing object. @throws StatusError of the storage */
export async function transact<T>(
  { scope, name }: Write,
  transaction: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await transaction();
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'conflict')
      throw statusOrTaken(error, addressOf(scope, name));
    // The transaction returned the current object, with which a version of the client is compared.
    return { kind: 'lost', newest: error.current && { entry: error.current, fresh: true } };
  }
}
