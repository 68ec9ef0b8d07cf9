/** Delete: preconditions, grace, finalizers; removal at once where nothing holds the object back. */
import type { Strategy } from '../api/types.ts';
import type { JsonObject } from '../base/json.ts';
import { deepCopy } from '../base/json.ts';
import { encodeStored } from '../codec/stored.ts';
import type { ApiObject } from '../meta/object.ts';
import { asApiObject, asJson } from '../meta/object.ts';
import { staleConflict } from '../meta/status.ts';
import type { Entry } from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import type { ApiContext } from '../api/types.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext } from './context.ts';
import type { Current } from './current.ts';
import { assertFound, currentObject, freshObject } from './current.ts';
import { entryObject, newEntry, writtenEntry } from './entry.ts';
import { toStatusError } from './errors.ts';
import { hasFinalizers } from './finalizers.ts';
import { finalizersForDeletion } from './garbage-finalizers.ts';
import { metaTime } from './object-meta.ts';
import { preconditionFault } from './preconditions.ts';
import { addressOf } from './scope-keys.ts';
import type { DeleteOptions, DeleteResult, RequestScope } from './types.ts';

const maxAttempts = 30;
/** A longer grace ends in a year that cannot be written; what asks for it wants it never to end. */
const maxGraceSeconds = 2 ** 31 - 1;

/** Deletes one object or marks it as terminating. @throws ObjectMissing, StatusError 403, 404, 409 */
export async function deleteObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const deletion: Deletion = { deps, scope, name, options, context: apiContext(deps, scope) };
  // No transaction guards a dry run against a view that is behind.
  const read = scope.dryRun ? freshObject : currentObject;
  let current = assertFound(await read(deps, scope, name), scope, name);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const outcome = await attemptDelete(deletion, current);
    if ('done' in outcome) return outcome.done;
    current = assertFound(outcome.retryFrom ?? (await freshObject(deps, scope, name)), scope, name);
  }
  throw staleConflict(scope.resource.gvr, name);
}

interface Deletion {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly context: ApiContext;
}

type Outcome = { done: DeleteResult } | { retryFrom: Current | undefined };

async function attemptDelete(deletion: Deletion, current: Current): Promise<Outcome> {
  const { deps, scope, name } = deletion;
  const object = privateObject(deps, current.entry);
  const fault = preconditionFault({ ...deletion, ...deletion.options }, object);
  if (fault) {
    if (!current.fresh) return { retryFrom: undefined };
    throw fault;
  }
  const about = { scope, name, object: undefined, oldObject: object } as const;
  const attributes = { operation: 'DELETE', ...about, options: sentOptions(deletion.options) } as const;
  await deps.admission.admit(attributes);
  await deps.admission.validate(attributes);
  const grace = gracePeriod(deletion, object);
  if (deps.collectsGarbage) setGarbageFinalizers(deletion, object);
  if (object.metadata.deletionTimestamp == null) prepareForDelete(deletion, object);
  if (grace === 0 && !hasFinalizers(object)) return remove(deletion, current);
  return mark(deletion, current, { object, grace });
}

/** The stored object, which the deletion changes as it goes. */
function privateObject({ written }: RegistryDeps, entry: Entry): ApiObject {
  const remembered = written?.get(entry);
  return remembered ? asApiObject(deepCopy(asJson(remembered))) : entryObject(entry);
}

/** The options as a client writes them. */
function sentOptions({ preconditions, ...options }: DeleteOptions): JsonObject {
  return { ...options, ...(preconditions && { preconditions: { ...preconditions } }) };
}

/** Order and presence of other finalizers stay as they are; an unchanged list is left alone. */
function setGarbageFinalizers(deletion: Deletion, object: ApiObject): void {
  const { defaultPropagation } = deletion.scope.resource.definition.strategy;
  const current = object.metadata.finalizers ?? [];
  const finalizers = finalizersForDeletion(current, deletion.options, defaultPropagation);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
}

function prepareForDelete({ scope, context }: Deletion, object: ApiObject): void {
  const strategy: Strategy<ApiObject> = scope.resource.definition.strategy;
  strategy.prepareForDelete?.(object, context);
}

/**
 * Seconds until a kind with graceful deletion may go; a running period can be shortened, never lengthened. A negative
 * one that was asked for counts as the shortest.
 */
function gracePeriod(deletion: Deletion, object: ApiObject): number {
  const strategy: Strategy<ApiObject> = deletion.scope.resource.definition.strategy;
  if (!strategy.gracePeriod) return 0;
  const wanted = strategy.gracePeriod(object, deletion.options.gracePeriodSeconds);
  const asked = wanted < 0 ? 1 : Math.min(wanted, maxGraceSeconds);
  if (object.metadata.deletionTimestamp == null) return asked;
  const running = object.metadata.deletionGracePeriodSeconds ?? 0;
  return deletion.options.gracePeriodSeconds === undefined ? running : Math.min(asked, running);
}

async function remove(deletion: Deletion, current: Current): Promise<Outcome> {
  const { deps, scope } = deletion;
  const { entry } = current;
  const { collection } = scope.resource.storage;
  return transact(deletion, async () => {
    const revision = scope.dryRun
      ? entry.modRevision
      : (await deps.storage.delete(collection, entry.key, entry.modRevision)).revision;
    return { removed: true, entry: newEntry(collection, entry.key, entry.bytes, revision) };
  });
}

interface Marked {
  readonly object: ApiObject;
  readonly grace: number;
}

/** Sets deletionTimestamp; an object that is marked already and gains nothing is left as it is, if it is still there. */
async function mark(deletion: Deletion, current: Current, { object, grace }: Marked): Promise<Outcome> {
  const { deps, scope, context } = deletion;
  const { entry } = current;
  const { collection } = scope.resource.storage;
  markTerminating(object, grace, context.now());
  const bytes = encodeStored(asJson(object));
  if (bytes.equals(entry.bytes))
    return current.fresh ? { done: { removed: false, entry } } : { retryFrom: undefined };
  return transact(deletion, async () => {
    const receipt = scope.dryRun
      ? { revision: entry.modRevision }
      : await deps.storage.update(collection, entry.key, bytes, entry.modRevision);
    return { removed: false, entry: writtenEntry(entry, bytes, receipt) };
  });
}

function markTerminating(object: ApiObject, grace: number, now: Date): void {
  const { metadata } = object;
  const first = metadata.deletionTimestamp == null;
  const running = metadata.deletionGracePeriodSeconds ?? 0;
  if (first || grace < running) {
    // A shorter period counts from the first request, too.
    const start = first ? now.getTime() : Date.parse(metadata.deletionTimestamp ?? '') - running * 1000;
    metadata.deletionTimestamp = metaTime(new Date(start + grace * 1000));
    metadata.deletionGracePeriodSeconds = grace;
  }
  if (first && metadata.generation !== undefined) metadata.generation += 1;
  delete metadata.resourceVersion;
  if (object.kind === 'Namespace')
    object['status'] = { ...(object['status'] as object | undefined), phase: 'Terminating' };
}

async function transact(deletion: Deletion, operation: () => Promise<DeleteResult>): Promise<Outcome> {
  try {
    return { done: await operation() };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'conflict') {
      return { retryFrom: error.current && { entry: error.current, fresh: true } };
    }
    throw toStatusError(error, addressOf(deletion.scope, deletion.name));
  }
}
