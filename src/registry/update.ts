/**
 * Every change of an existing object: replace, all patches, subresources and controllers hand in a `Transform`;
 * this file reads the current object, runs the write's steps, and repeats them when another writer was first.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiContext, Strategy } from '../api/types.ts';
import type { JsonObject } from '../base/json.ts';
import { deepCopy, getOwn, isObject } from '../base/json.ts';
import { shareEqual } from '../base/share-equal.ts';
import { Slice } from '../base/cooperate.ts';
import type { Lane } from '../base/turns.ts';
import { encodeStored } from '../codec/stored.ts';
import type { ApiObject } from '../meta/object.ts';
import { asJson } from '../meta/object.ts';
import { invalid } from '../meta/field-error.ts';
import { parseResourceVersion } from '../meta/resource-version.ts';
import { conflict, invalidObject, staleConflict, StatusError } from '../meta/status.ts';
import type { StructSchema } from '../schema/types.ts';
import { fillZeroValues } from '../schema/zero-values.ts';
import type { Entry } from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import { updateAttributes, type AdmittedForm } from './admitted-form.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext, withConversions } from './context.ts';
import type { Current } from './current.ts';
import { assertFound, currentObject, freshObject } from './current.ts';
import { decodeObject, toStorageForm } from './decode-object.ts';
import { entryObject, newEntry, writtenEntry } from './entry.ts';
import { toStatusError } from './errors.ts';
import type { SettleOwnership } from './field-ownership.ts';
import { ownersAfter, receiveManagedFields, setManagedFields } from './field-ownership.ts';
import { refusePatched } from './field-validation.ts';
import { isReadyToGo } from './finalizers.ts';
import { agreeWithPath, keepServerMeta } from './object-meta.ts';
import { isSameText } from './same-text.ts';
import { addressOf, objectKey } from './scope-keys.ts';
import type { RequestScope, Transform, WriteResult } from './types.ts';
import { assertValidUpdate, type CheckedUpdate } from './validate.ts';
import { sentFaults } from './version-rules.ts';

/** How often a write without resourceVersion starts again before the client is told of the conflict. */
const maxAttempts = 30;

export interface UpdateOptions {
  readonly transform: Transform;
  /** PUT: a body without resourceVersion is refused unless the kind allows unconditional updates. */
  readonly isReplace: boolean;
  /** Settles who owns the fields, after the transform of the same attempt. Absent: the writer owns what it changed. */
  readonly own?: SettleOwnership;
  /** What admission sees instead of the object. Absent: the object. */
  readonly form?: AdmittedForm;
}

/**
 * Applies a transform to an object. The first attempt is free; writers that lose it, and those who come while there
 * are such, take turns, each starting from what the one before wrote: only one of a replica's writers at a time
 * competes with other replicas, however many want the object.
 * @throws ObjectMissing, StatusError 400, 403, 404, 409, 422
 */
export async function updateObject(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  options: UpdateOptions,
): Promise<WriteResult> {
  const update = { deps, scope, name, context: apiContext(deps, scope), options, slice: new Slice() };
  const { turns } = deps;
  // A dry run competes with nobody, and no transaction guards it against a view that is behind.
  if (scope.dryRun || !turns) return attempts(update, await freshObject(deps, scope, name));
  const key = `${scope.resource.storage.collection}/${objectKey(scope, name)}`;
  let lost: Current | undefined;
  if (!turns.isTaken(key)) {
    const current = assertFound(await currentObject(deps, scope, name), scope, name);
    const outcome = await attemptOn(update, current);
    if ('written' in outcome) return outcome.written;
    lost = outcome.retryFrom ?? (await freshObject(deps, scope, name));
  }
  return turns.use(key, (lane) => inTurn(update, lost, lane));
}

/** From the newest state that is known: the one that this write lost against, or the one that the writer before left. */
async function inTurn(update: Update, lost: Current | undefined, lane: Lane<Current>): Promise<WriteResult> {
  const { deps, scope, name } = update;
  scope.signal.throwIfAborted();
  const left = lane.latest;
  const isLeftNewer = left && (!lost || left.entry.modRevision > lost.entry.modRevision);
  const start = (isLeftNewer ? left : lost) ?? (await currentObject(deps, scope, name));
  return attempts(update, start, lane);
}

async function attempts(
  update: Update,
  start: Current | undefined,
  lane?: Lane<Current>,
): Promise<WriteResult> {
  const { deps, scope, name } = update;
  let current = assertFound(start, scope, name);
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOn(update, current);
    if ('written' in outcome) {
      if (lane) lane.latest = outcome.left;
      return outcome.written;
    }
    if (attempt >= maxAttempts) throw staleConflict(scope.resource.gvr, name);
    if (attempt > 2) await delay(Math.random() * 4 * attempt, undefined, { signal: scope.signal });
    current = assertFound(outcome.retryFrom ?? (await freshObject(deps, scope, name)), scope, name);
  }
}

interface Update {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  readonly name: string;
  readonly context: ApiContext;
  readonly options: UpdateOptions;
  /** Steps of a write of many thousand fields take long; others have their turn between them. */
  readonly slice: Slice;
}

/** `retryFrom` undefined: read the object anew. `left`: what the next writer may start from, unless the object is gone. */
type Outcome =
  | { readonly written: WriteResult; readonly left: Current | undefined }
  | { readonly retryFrom: Current | undefined };

/** A refusal counts only of the newest state: where the view turns out to be behind, the write starts again. */
async function attemptOn(update: Update, current: Current): Promise<Outcome> {
  try {
    return await attemptUpdate(update, current);
  } catch (error) {
    if (current.fresh || !(error instanceof StatusError)) throw error;
    const { deps, scope, name } = update;
    const newest = assertFound(await freshObject(deps, scope, name), scope, name);
    if (newest.entry.modRevision === current.entry.modRevision) throw error;
    return { retryFrom: newest };
  }
}

async function attemptUpdate(update: Update, current: Current): Promise<Outcome> {
  const remembered = update.deps.written?.get(current.entry);
  const before = remembered ?? entryObject(current.entry);
  const body = await transformed(update, current, { before, isRemembered: remembered !== undefined });
  if (body === undefined || mayBeBehind(update, body, current)) return { retryFrom: undefined };
  await update.slice.breathe();
  const checked = nextObject(update, body, before);
  const { next } = checked;
  await update.slice.breathe();
  await complete(update, checked);
  const bytes = encodeStored(asJson(next), remembered !== undefined);
  // A write that changes nothing still brings an object into the form that is stored now.
  const isStoredSo = current.entry.isRecoded !== true && isSameText(bytes, current.entry.bytes);
  if (isStoredSo) {
    if (!remembered && bytes.equals(current.entry.bytes))
      update.deps.written?.setWritten(current.entry, next, undefined);
    return unchanged(update, current);
  }
  return write(update, { next, bytes, current, remembered });
}

interface Start {
  readonly before: ApiObject;
  readonly isRemembered: boolean;
}

/** What the writer wants. Undefined when it refuses an object that the view may have wrong: read anew. */
async function transformed(
  { deps, scope, options }: Update,
  { fresh }: Current,
  { before, isRemembered }: Start,
): Promise<JsonObject | undefined> {
  const { resource } = scope;
  // What is remembered was prepared here, by the schema of today: one that may have changed since has conversions.
  const isFilled = isRemembered && resource.conversion === undefined;
  try {
    // A transform that sees the stored form shares the object that is there anyway; a conversion may change its own.
    return await withConversions(deps, () =>
      resource.isStorageVersion
        ? options.transform(asJson(before), isFilled)
        : options.transform(resource.fromStorage(deepCopy(asJson(before)))),
    );
  } catch (error) {
    if (fresh || !(error instanceof StatusError)) throw error;
    return undefined;
  }
}

/**
 * Optimistic lock. True: the view may be behind, read anew.
 * @throws StatusError 409, 422
 */
function mayBeBehind(update: Update, body: JsonObject, current: Current): boolean {
  const { scope, name, options } = update;
  const sent = versionOf(body);
  const revision = parseResourceVersion(sent);
  // As in a precondition of storage, 0 stands for none.
  if (revision === undefined || revision === 0) {
    if (options.isReplace && !scope.resource.definition.strategy.unconditionalUpdate) {
      throw invalidObject(scope.resource.gvk, name, [
        invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    return false;
  }
  if (revision === current.entry.modRevision) return false;
  if (!current.fresh) return true;
  throw staleConflict(scope.resource.gvr, name);
}

function versionOf(body: JsonObject): string {
  const metadata = getOwn(body, 'metadata');
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}

/** Decoded, converted, with what the writer may not touch taken from the current object. */
function nextObject(update: Update, body: JsonObject, before: ApiObject): CheckedUpdate {
  const { scope, name, context, options } = update;
  const sent = decodeObject(scope, body, context, options.isReplace ? undefined : refusePatched(name));
  agreeWithPath(scope, name, sent.metadata);
  assertSameUid(scope, name, sent, before);
  const faults = sentFaults(scope, sent, context);
  const next = toStorageForm(scope.resource, sent);
  keepServerMeta(next, before);
  receiveManagedFields(next, before);
  return { next, current: before, sent: faults };
}

function assertSameUid(scope: RequestScope, name: string, sent: ApiObject, before: ApiObject): void {
  const uid = sent.metadata.uid ?? '';
  const actual = before.metadata.uid ?? '';
  if (uid === '' || uid === actual) return;
  throw conflict(
    scope.resource.gvr,
    name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
  );
}

/** Admission, preparation, validation, ownership. */
async function complete(update: Update, checked: CheckedUpdate): Promise<void> {
  const { deps, scope, name, context, options, slice } = update;
  const { next, current: before } = checked;
  const { form } = options;
  const attributes = updateAttributes({ scope, name, next, before }, form);
  await deps.admission.admit(attributes);
  form?.into(next, attributes.object);
  prepare(scope, next, before, context);
  await slice.breathe();
  assertValidUpdate(scope, checked, context);
  await deps.admission.validate(form ? updateAttributes({ scope, name, next, before }, form) : attributes);
  await slice.breathe();
  const now = context.now();
  if (options.own) options.own(next);
  else {
    const owners = await withConversions(deps, () => ownersAfter(next, { deps, scope, before, now }));
    await slice.breathe();
    setManagedFields(next, owners);
  }
  await slice.breathe();
}

function prepare(scope: RequestScope, next: ApiObject, before: ApiObject, context: ApiContext): void {
  const strategy: Strategy<ApiObject> = scope.resource.definition.strategy;
  if (scope.subresource === '') strategy.prepareForUpdate?.(next, before, context);
  else scope.resource.subresource(scope.subresource)?.prepareForUpdate?.(next, before, context);
  if (next.metadata.resourceVersion !== undefined) delete next.metadata.resourceVersion;
  settle(scope.resource.storage.schema, asJson(next), asJson(before));
  if (strategy.bumpsGeneration?.(next, before))
    next.metadata.generation = (before.metadata.generation ?? 0) + 1;
}

/**
 * Gives the object the form that is stored. Nobody changes it behind this: what follows compares it with the one before,
 * over and over. What it shares with that needs no filling, so it is looked for first (25 µs less for a pod whose spec is
 * as it was), and again for what became equal only by being filled.
 */
function settle(schema: StructSchema, next: JsonObject, before: JsonObject): void {
  if (shareEqual(next, before)) return;
  fillZeroValues(schema, next, before);
  shareEqual(next, before);
}

/** Nothing to write. A stale view could hide that there is, so this is said only of the newest state. */
async function unchanged(update: Update, current: Current): Promise<Outcome> {
  if (current.fresh) return done(current.entry);
  const newest = assertFound(
    await freshObject(update.deps, update.scope, update.name),
    update.scope,
    update.name,
  );
  if (newest.entry.modRevision !== current.entry.modRevision) return { retryFrom: newest };
  return done(current.entry);
}

function done(entry: Entry, isGone = false): Outcome {
  // Whoever comes next may have seen a newer state elsewhere, so this one may refuse nobody.
  return { written: { entry, created: false }, left: isGone ? undefined : { entry, fresh: false } };
}

interface Change {
  readonly next: ApiObject;
  readonly bytes: Buffer;
  readonly current: Current;
  /** The object before, where an earlier write left it. */
  readonly remembered: ApiObject | undefined;
}

async function write(update: Update, change: Change): Promise<Outcome> {
  const { deps, scope, name } = update;
  const { entry } = change.current;
  const { collection } = scope.resource.storage;
  if (scope.dryRun) return done(newEntry(collection, entry.key, change.bytes, entry.modRevision));
  const isLast = isReadyToGo(change.next);
  try {
    const receipt = isLast
      ? await deps.storage.delete(collection, entry.key, entry.modRevision)
      : await deps.storage.update(collection, entry.key, change.bytes, entry.modRevision);
    const written = writtenEntry(entry, change.bytes, receipt);
    if (!isLast && !receipt.bytes) deps.written?.setWritten(written, change.next, change.remembered);
    return done(written, isLast);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'conflict') {
      throw toStatusError(error, addressOf(scope, name));
    }
    // The transaction told what is there now. A client that named a version gets its conflict from mayBeBehind,
    // which compares with this newest state.
    return { retryFrom: error.current && { entry: error.current, fresh: true } };
  }
}
