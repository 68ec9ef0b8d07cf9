/**
 * Field ownership (`metadata.managedFields`, KEP-555) of every write. Sent entries are read before validation; stored
 * entries are computed after admission, when the object is final.
 */
import { SharedSlice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { deepCopy, deepEqual } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import { runConverting, type Convert } from '../../patch/apply/converting.ts';
import type { ManagedFields } from '../../patch/apply/managed-fields.ts';
import {
  encodeManagedFields,
  isReset,
  sentManagedFields,
  storedManagedFields,
} from '../../patch/apply/managed-fields.ts';
import { trackUpdate } from '../../patch/apply/track-update.ts';
import type { Versions } from '../../patch/apply/versions.ts';
import { PatchError } from '../../patch/patch-error.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { convertObject } from '../conversion/object-conversion.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { RequestScope, ServedResource } from '../types.ts';
import { entrySubresource } from './reach.ts';
import type { Draft, Write } from './write.ts';

export function isOwnershipTracked(deps: RegistryDeps): boolean {
  return deps.isFeatureEnabled('ServerSideApply');
}

/**
 * Reads sent managedFields: one empty entry resets ownership; no, empty or equal entries keep it; other entries
 * replace it. Mutates `next`.
 */
export function receiveManagedFields(next: ApiObject, before: ApiObject | undefined): void {
  const sent = next.metadata.managedFields;
  const stored = before?.metadata.managedFields;
  if (sent && stored && isSame(sent, stored)) {
    // Later steps recognize the same list as unchanged.
    next.metadata.managedFields = stored;
    return;
  }
  // An empty list instead of a missing one, so that subresources do not restore the old entries from the metadata.
  if (isReset(asJson(next))) next.metadata.managedFields = [];
  else if (!sent || sent.length === 0 || !isReadable(next)) restore(next, before);
}

function restore(next: ApiObject, before: ApiObject | undefined): void {
  if (before?.metadata.managedFields) next.metadata.managedFields = before.metadata.managedFields;
  else delete next.metadata.managedFields;
}

/** Malformed entries are ignored, so that they do not make an object unwritable. */
function isReadable(next: ApiObject): boolean {
  try {
    sentManagedFields(asJson(next));
    return true;
  } catch (error) {
    if (error instanceof PatchError) return false;
    throw error;
  }
}

/**
 * Fifth step of a write: updates ownership. An apply has already done this; otherwise the writer owns what it
 * changed. Changes the object of the draft.
 */
export async function settleOwnership(write: Write, draft: Draft): Promise<void> {
  const managed = draft.managed ?? (await ownersAfter(write, draft));
  // For thousands of fields, encoding takes as long again.
  await write.slice.breathe();
  setManagedFields(draft.object, managed);
}

/** Empty if ownership is not tracked. */
function ownersAfter({ deps, scope, context }: Write, { object, base }: Draft): MaybePromise<ManagedFields> {
  if (!isOwnershipTracked(deps)) return [];
  const owners = entriesOf(object, base?.object);
  if (!isTracked(scope)) return owners;
  const { resource } = scope;
  const compute = (): MaybePromise<ManagedFields> => {
    const update = {
      live: base ? asRequested(resource, base.object) : emptyObject(resource),
      next: asRequested(resource, object),
      managed: owners,
      manager: scope.fieldManager,
      subresource: entrySubresource(deps, scope),
      time: formatSeconds(context.now()),
    };
    return runConverting(trackUpdate(update, versionsOf(deps, resource)), converter(deps, scope));
  };
  return whenReady(readVersions(deps, resource, owners), compute);
}

/** Sets the entries of an object; without entries the field is omitted. */
export function setManagedFields(next: ApiObject, managed: ManagedFields): void {
  const encoded = encodeManagedFields(managed);
  if (encoded) next.metadata.managedFields = encoded;
  else delete next.metadata.managedFields;
}

/** Unchanged entries keep their text; sent entries get the canonical form. */
function entriesOf(next: ApiObject, before: ApiObject | undefined): ManagedFields {
  const isAsStored = before && next.metadata.managedFields === before.metadata.managedFields;
  return isAsStored ? storedManagedFields(asJson(before)) : sentManagedFields(asJson(next));
}

/** Clients of release 1.21 drop `subresource`: entries without it count as unchanged. */
function isSame(sent: readonly ManagedFieldsEntry[], stored: readonly ManagedFieldsEntry[]): boolean {
  return sent.length === stored.length && sent.every((entry, index) => isSameEntry(entry, stored[index]));
}

function isSameEntry(sent: ManagedFieldsEntry, stored: ManagedFieldsEntry | undefined): boolean {
  const { subresource } = stored ?? {};
  const known = sent.subresource || subresource === undefined ? sent : { ...sent, subresource };
  return deepEqual(known as unknown as JsonObject, stored as unknown as JsonObject);
}

/** Ownership is tracked for endpoints with the type of the resource, and for no other (`scale`). */
function isTracked({ subresource, resource }: RequestScope): boolean {
  return subresource === '' || resource.subresource(subresource)?.type !== 'action';
}

/** An empty object of the requested version. */
export function emptyObject(resource: ServedResource): JsonObject {
  const empty: JsonObject = {
    kind: resource.gvk.kind,
    apiVersion: apiVersionOf(resource.gvk),
    metadata: {},
  };
  fillZeroValues(resource.schema, empty);
  return empty;
}

function asRequested({ conversion }: ServedResource, object: ApiObject): JsonObject {
  return conversion.isInternal ? asJson(object) : conversion.fromInternal(deepCopy(asJson(object)));
}

/** The versions in which ownership of a resource may be recorded. */
export function versionsOf(deps: RegistryDeps, resource: ServedResource): Versions {
  return {
    apiVersion: apiVersionOf(resource.gvk),
    schema: resource.schema,
    schemaOf: (apiVersion) => versionOf(deps, resource, apiVersion)?.schema,
  };
}

/** Reads the schemas of other versions that own fields, if they are large: `schemaOf` would read each in one step. */
export function readVersions(
  deps: RegistryDeps,
  resource: ServedResource,
  managed: ManagedFields,
): MaybePromise<void> {
  const others = new Set(managed.map(({ parts }) => parts.apiVersion));
  others.delete(apiVersionOf(resource.gvk));
  return others.size === 0 ? undefined : readEach([...others].map((name) => versionOf(deps, resource, name)));
}

async function readEach(versions: readonly (ServedResource | undefined)[]): Promise<void> {
  for (const version of versions) await version?.prepare?.();
}

/** An object may be compared in a hundred versions; all writes share the slice. */
const converting = new SharedSlice();

/** Converts objects of the resource between these versions, in turns. */
export function converter(deps: RegistryDeps, { resource, signal }: RequestScope): Convert {
  return ({ object, from, to }) => {
    const source = versionOf(deps, resource, from);
    const target = versionOf(deps, resource, to);
    if (!source || !target) throw new Error(`${from} and ${to} are not versions of ${resource.gvr.resource}`);
    const convert = (): MaybePromise<JsonObject> => convertObject(object, source, target, signal);
    return converting.shouldYield() ? converting.yieldNow().then(convert) : convert();
  };
}

function versionOf(
  { catalogue }: RegistryDeps,
  resource: ServedResource,
  apiVersion: string,
): ServedResource | undefined {
  if (apiVersion === apiVersionOf(resource.gvk)) return resource;
  const gv = parseApiVersion(apiVersion);
  const other = gv && catalogue.kind(gv.group, gv.version, resource.gvk.kind);
  return other?.storage.collection === resource.storage.collection ? other : undefined;
}
