/** First step of a write: the proposed object, decoded to the internal version, with read-only metadata restored. */
import type { JsonObject } from '../../base/json.ts';
import { deepCopy, getOwn, isObject } from '../../base/json.ts';
import { invalid } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { parseResourceVersion } from '../../meta/resource-version.ts';
import { badRequest, conflict, invalidObject, staleConflict } from '../../meta/status.ts';
import { withoutOtherReleases } from '../../schema/other-releases.ts';
import { entryObject } from '../written-entry.ts';
import { addressOf } from '../scope-keys.ts';
import type { RequestScope } from '../types.ts';
import { CreatePrecondition } from './create-precondition.ts';
import type { Current } from '../written-entry.ts';
import { decodeObject, toInternalVersion } from './decode.ts';
import { receiveManagedFields } from './field-ownership.ts';
import { refusePatched } from './field-validation.ts';
import { agreeNamespace, agreeWithPath, keepServerMeta } from './object-meta.ts';
import { sentErrors } from './version-rules.ts';
import type { Base, Change, CreateDraft, Proposal, UpdateDraft, Write } from './write.ts';

/** @throws ObjectMissing if nothing may be created, StatusError 400, 403, 409 */
export async function draftOfCreate(write: Write): Promise<CreateDraft> {
  const { scope, name, change, context } = write;
  if (!change.create) throw new ObjectNotFound(addressOf(scope, name));
  const { object: body, managed } = await change.create();
  const sent = decodeObject(scope, body, context);
  if (name === '') agreeNamespace(scope, sent.metadata);
  else agreeWithPath(scope, name, sent.metadata);
  if (!['', '0'].includes(sent.metadata.resourceVersion ?? ''))
    throw badRequest('resourceVersion should not be set on objects to be created');
  const errors = sentErrors(scope, sent, context);
  const object = toInternalVersion(scope.resource, sent);
  receiveManagedFields(object, undefined);
  return { object, managed, sentErrors: errors, precondition: new CreatePrecondition() };
}

/** @throws StatusError of the change, 400, 409, 422 */
export async function draftOfUpdate(write: Write, current: Current): Promise<UpdateDraft> {
  const { scope, name, change, context, slice } = write;
  const base = baseOf(write, current);
  const { object: body, managed } = await proposed(write, base);
  await slice.breathe();
  const sent = decodeObject(scope, body, context, change.isReplace ? undefined : refusePatched(name));
  agreeWithPath(scope, name, sent.metadata);
  assertSameUid(scope, name, sent, base.object);
  assertVersion(write, body, current);
  const errors = sentErrors(scope, sent, context);
  const object = toInternalVersion(scope.resource, sent);
  keepServerMeta(object, base.object);
  receiveManagedFields(object, base.object);
  return { object, managed, base, sentErrors: errors };
}

function baseOf({ deps, scope }: Write, current: Current): Base {
  const remembered = deps.written?.get(current.entry);
  const isRemembered = remembered !== undefined;
  const object = remembered ?? entryObject(current.entry);
  return {
    current,
    object,
    isRemembered,
    known: withoutOtherReleases(scope.resource.storage.schema, asJson(object)),
  };
}

/** A change in the internal version gets the shared object; a conversion works on a copy. */
async function proposed({ scope, change }: Write, { known, isRemembered }: Base): Promise<Proposal> {
  const { conversion } = scope.resource;
  const update = updateOf(change);
  if (!conversion.isInternal) return update(conversion.fromInternal(deepCopy(known)), false);
  // Cached objects were prepared by the current schema, unless the resource has a stored conversion, whose schema may
  // change.
  return update(known, isRemembered && !conversion.stored);
}

function updateOf({ update }: Change): NonNullable<Change['update']> {
  if (!update) throw new Error('a create was given a current object');
  return update;
}

/**
 * Optimistic concurrency control: a resourceVersion that was sent must be the current one (API conventions,
 * "Concurrency Control and Consistency").
 * @throws StatusError 409, 422 for a replace that must name one
 */
function assertVersion({ scope, name, change }: Write, body: JsonObject, { entry }: Current): void {
  const revision = parseResourceVersion(versionOf(body));
  // As in a storage precondition, 0 stands for none.
  const isNamed = revision !== undefined && revision !== 0;
  if (isNamed && revision !== entry.modRevision) throw staleConflict(scope.resource.gvr, name);
  if (isNamed || !change.isReplace || scope.resource.definition.strategy.unconditionalUpdate) return;
  throw invalidObject(scope.resource.gvk, name, [
    invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ]);
}

function versionOf(body: JsonObject): string {
  const metadata = getOwn(body, 'metadata');
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}

function assertSameUid(scope: RequestScope, name: string, sent: ApiObject, before: ApiObject): void {
  const uid = sent.metadata.uid ?? '';
  const actual = before.metadata.uid ?? '';
  if (uid === '' || uid === actual) return;
  const problem = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`;
  throw conflict(scope.resource.gvr, name, problem);
}
