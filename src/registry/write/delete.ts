/** Delete: preconditions, grace period, finalizers; removes the object at once if neither applies. */
import type { Strategy } from '../../api/types.ts';
import type { JsonObject } from '../../base/json.ts';
import { turnFor } from '../../base/cooperate.ts';
import { deepCopy } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { entryObject, removedEntry, writtenEntry } from '../written-entry.ts';
import type { DeleteOptions, DeleteResult, RequestScope } from '../types.ts';
import { leftOf, releasedWith, transact, writesOf } from './commit.ts';
import { contend, type Outcome } from './contention.ts';
import type { Current } from '../written-entry.ts';
import { assertFound } from './current.ts';
import { hasFinalizers } from './finalizers.ts';
import { finalizersForDeletion } from './garbage-finalizers.ts';
import { formatSeconds } from '../../meta/time.ts';
import { unmetPrecondition } from './preconditions.ts';
import { storableBytes } from './storable.ts';
import { newWrite, type Write } from './write.ts';

/** The end of a longer grace period is not representable in RFC 3339; this stands for an infinite one. */
const maxGraceSeconds = 2 ** 31 - 1;

/** Deletes one object or marks it as terminating. @throws ObjectMissing, StatusError 403, 404, 409 */
export async function deleteObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const deletion: Deletion = { ...newWrite(deps, scope, name, {}), options };
  return contend(deletion, (current) => attempt(deletion, assertFound(current, scope, name)));
}

interface Deletion extends Write {
  readonly options: DeleteOptions;
}

async function attempt(deletion: Deletion, current: Current): Promise<Outcome<DeleteResult>> {
  const { deps, scope, name, options } = deletion;
  await turnFor(sizeOf(current.entry));
  const object = privateObject(deps, current.entry);
  const unmet = unmetPrecondition({ ...deletion, ...options }, object);
  if (unmet) throw unmet;
  const about = { scope, name, object: undefined, oldObject: object } as const;
  const attributes = { operation: 'DELETE', ...about, options: sentOptions(options) } as const;
  await deps.admission.admit(attributes);
  await deps.admission.validate(attributes);
  const grace = gracePeriod(deletion, object);
  if (deps.collectsGarbage) setGarbageFinalizers(deletion, object);
  if (object.metadata.deletionTimestamp == null) prepareForDelete(deletion, object);
  if (grace === 0 && !hasFinalizers(object)) return remove(deletion, current, object);
  return mark(deletion, current, { object, grace });
}

/** A private copy of the stored object. */
function privateObject({ written }: RegistryDeps, entry: Entry): ApiObject {
  const remembered = written?.get(entry);
  return remembered ? asApiObject(deepCopy(asJson(remembered))) : entryObject(entry);
}

/** The options in the form of the API. */
function sentOptions({ preconditions, ...options }: DeleteOptions): JsonObject {
  return { ...options, ...(preconditions && { preconditions: { ...preconditions } }) };
}

/** Other finalizers and their order are kept; an unchanged list is not replaced. */
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
 * The grace period in seconds of kinds with graceful deletion; a running period can only be shortened. A negative one
 * counts as the shortest.
 */
function gracePeriod(deletion: Deletion, object: ApiObject): number {
  const strategy: Strategy<ApiObject> = deletion.scope.resource.definition.strategy;
  if (!strategy.gracePeriod) return 0;
  const wanted = strategy.gracePeriod(object, deletion.options.gracePeriodSeconds);
  const requested = wanted < 0 ? 1 : Math.min(wanted, maxGraceSeconds);
  if (object.metadata.deletionTimestamp == null) return requested;
  const running = object.metadata.deletionGracePeriodSeconds ?? 0;
  return deletion.options.gracePeriodSeconds === undefined ? running : Math.min(requested, running);
}

async function remove(
  deletion: Deletion,
  { entry }: Current,
  object: ApiObject,
): Promise<Outcome<DeleteResult>> {
  const { deps, scope } = deletion;
  const { collection } = scope.resource.storage;
  const writes = writesOf(deps, releasedWith(deletion, object));
  return transact(deletion, async () => {
    const revision = scope.dryRun
      ? entry.modRevision
      : (await writes.delete(collection, entry.key, entry.modRevision)).revision;
    const last = removedEntry(entry, revision);
    return { kind: 'written', result: { removed: true, entry: last }, left: undefined };
  });
}

interface Marked {
  readonly object: ApiObject;
  readonly grace: number;
}

/** Sets deletionTimestamp; a terminating object without a change is not written, if it still exists. */
async function mark(
  deletion: Deletion,
  { entry }: Current,
  { object, grace }: Marked,
): Promise<Outcome<DeleteResult>> {
  const { deps, scope, context } = deletion;
  const { collection } = scope.resource.storage;
  markTerminating(object, grace, context.now());
  const bytes = storableBytes(object);
  if (bytes.equals(entry.bytes)) return { kind: 'unchanged', result: { removed: false, entry } };
  return transact(deletion, async () => {
    const receipt = scope.dryRun
      ? { revision: entry.modRevision }
      : await deps.storage.update(collection, entry.key, bytes, entry.modRevision);
    const marked = writtenEntry(entry, bytes, receipt);
    return { kind: 'written', result: { removed: false, entry: marked }, left: leftOf(marked) };
  });
}

function markTerminating(object: ApiObject, grace: number, now: Date): void {
  const { metadata } = object;
  const first = metadata.deletionTimestamp == null;
  const running = metadata.deletionGracePeriodSeconds ?? 0;
  if (first || grace < running) {
    // A shorter period also counts from the first request.
    const start = first ? now.getTime() : Date.parse(metadata.deletionTimestamp ?? '') - running * 1000;
    metadata.deletionTimestamp = formatSeconds(new Date(start + grace * 1000));
    metadata.deletionGracePeriodSeconds = grace;
  }
  if (first && metadata.generation !== undefined) metadata.generation += 1;
  delete metadata.resourceVersion;
  if (object.kind === 'Namespace')
    object['status'] = { ...(object['status'] as object | undefined), phase: 'Terminating' };
}
