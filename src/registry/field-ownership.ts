/**
 * Who owns which field (`metadata.managedFields`), kept by every write. What a client sends in the field is received
 * before the object is validated; what is stored is settled after admission, when the object is final.
 */
import type { JsonObject } from '../base/json.ts';
import { deepCopy, deepEqual } from '../base/json.ts';
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts';
import type { ApiObject, ManagedFieldsEntry } from '../meta/object.ts';
import { asJson } from '../meta/object.ts';
import type { ManagedFields } from '../patch/apply/managed-fields.ts';
import {
  encodeManagedFields,
  isReset,
  sentManagedFields,
  storedManagedFields,
} from '../patch/apply/managed-fields.ts';
import { trackUpdate } from '../patch/apply/track-update.ts';
import type { OtherVersion, Versions } from '../patch/apply/versions.ts';
import { PatchError } from '../patch/patch-error.ts';
import { fillZeroValues } from '../schema/zero-values.ts';
import type { RegistryDeps } from './context.ts';
import { metaTime } from './object-meta.ts';
import type { RequestScope, ServedResource } from './types.ts';

/** Settles `metadata.managedFields` of an object that is about to be stored. Mutates it. */
export type SettleOwnership = (next: ApiObject) => void;

export function isOwnershipTracked(deps: RegistryDeps): boolean {
  return deps.isFeatureEnabled('ServerSideApply');
}

/**
 * What a client sent as managedFields: one empty entry resets ownership; nothing, an empty list or the entries that
 * are there leave it as it was; other entries replace it. Mutates `next`.
 */
export function receiveManagedFields(next: ApiObject, before: ApiObject | undefined): void {
  const sent = next.metadata.managedFields;
  const stored = before?.metadata.managedFields;
  if (sent && stored && isSame(sent, stored)) {
    // The very same list tells the rest of the write that nothing was sent.
    next.metadata.managedFields = stored;
    return;
  }
  // An empty list, not a missing one: what subresources keep of the metadata must not bring the old entries back.
  if (isReset(asJson(next))) next.metadata.managedFields = [];
  else if (!sent || sent.length === 0 || !isReadable(next)) restore(next, before);
}

function restore(next: ApiObject, before: ApiObject | undefined): void {
  if (before?.metadata.managedFields) next.metadata.managedFields = before.metadata.managedFields;
  else delete next.metadata.managedFields;
}

/** Entries that cannot be read are taken as not sent, so that no client loses an object to a fault in them. */
function isReadable(next: ApiObject): boolean {
  try {
    sentManagedFields(asJson(next));
    return true;
  } catch (error) {
    if (error instanceof PatchError) return false;
    throw error;
  }
}

export interface OwnedWrite {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  /** The object before, in the storage version; undefined for a create. */
  readonly before: ApiObject | undefined;
  readonly now: Date;
}

/**
 * Who owns what after a write that is no apply; `next` is of the storage version. Nobody owns anything where ownership
 * is not tracked. `setManagedFields` writes it down: of an object of many thousand fields that is as much work again.
 */
export function ownersAfter(next: ApiObject, { deps, scope, before, now }: OwnedWrite): ManagedFields {
  if (!isOwnershipTracked(deps)) return [];
  const base = entriesOf(next, before);
  if (!isTracked(scope)) return base;
  const { resource } = scope;
  return trackUpdate(
    {
      live: before ? asRequested(resource, before) : emptyObject(resource),
      next: asRequested(resource, next),
      managed: base,
      manager: scope.fieldManager,
      subresource: scope.subresource,
      time: metaTime(now),
    },
    versionsOf(deps, resource),
  );
}

/** Writes the entries into an object; none: the field is left out. */
export function setManagedFields(next: ApiObject, managed: ManagedFields): void {
  const encoded = encodeManagedFields(managed);
  if (encoded) next.metadata.managedFields = encoded;
  else delete next.metadata.managedFields;
}

/** Entries that did not change keep their text; those that a client wrote get the canonical one. */
function entriesOf(next: ApiObject, before: ApiObject | undefined): ManagedFields {
  const isAsStored = before && next.metadata.managedFields === before.metadata.managedFields;
  return isAsStored ? storedManagedFields(asJson(before)) : sentManagedFields(asJson(next));
}

/** Clients of release 1.21 know no `subresource`: entries that come back without it say what they said before. */
function isSame(sent: readonly ManagedFieldsEntry[], stored: readonly ManagedFieldsEntry[]): boolean {
  return sent.length === stored.length && sent.every((entry, index) => isSameEntry(entry, stored[index]));
}

function isSameEntry(sent: ManagedFieldsEntry, stored: ManagedFieldsEntry | undefined): boolean {
  const { subresource } = stored ?? {};
  const known = sent.subresource || subresource === undefined ? sent : { ...sent, subresource };
  return deepEqual(known as unknown as JsonObject, stored as unknown as JsonObject);
}

/** Ownership follows what receives the resource's own type (rule 11), and scaling, which writes into its spec. */
function isTracked(scope: RequestScope): boolean {
  if (scope.subresource === '') return true;
  const subresource = scope.resource.subresource(scope.subresource);
  return subresource?.type !== 'action' || subresource.scale !== undefined;
}

/** What an object of the request's version looks like when it holds nothing. */
export function emptyObject(resource: ServedResource): JsonObject {
  const empty: JsonObject = {
    kind: resource.gvk.kind,
    apiVersion: apiVersionOf(resource.gvk),
    metadata: {},
  };
  fillZeroValues(resource.schema, empty);
  return empty;
}

function asRequested(resource: ServedResource, object: ApiObject): JsonObject {
  return resource.isStorageVersion ? asJson(object) : resource.fromStorage(deepCopy(asJson(object)));
}

/** The versions in which ownership of a resource can be read, seen from the request's version. */
export function versionsOf(deps: RegistryDeps, resource: ServedResource): Versions {
  return {
    apiVersion: apiVersionOf(resource.gvk),
    schema: resource.schema,
    other: (apiVersion) => otherVersion(deps, resource, apiVersion),
  };
}

function otherVersion(
  deps: RegistryDeps,
  resource: ServedResource,
  apiVersion: string,
): OtherVersion | undefined {
  const gv = parseApiVersion(apiVersion);
  const other = gv && deps.catalogue.kind(gv.group, gv.version, resource.gvk.kind);
  if (other?.storage.collection !== resource.storage.collection) return undefined;
  const { replay } = deps;
  if (replay) {
    return {
      schema: other.schema,
      toOther: (object) => replay.convert(object, resource, other),
      fromOther: (object) => replay.convert(object, other, resource),
    };
  }
  return {
    schema: other.schema,
    toOther: (object) => other.fromStorage(resource.toStorage(object)),
    fromOther: (object) => resource.fromStorage(other.toStorage(object)),
  };
}
