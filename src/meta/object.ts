/** The metadata that every object and every list carries (API conventions, "Metadata"). */
import { deepEqual, isObject, type JsonObject, type JsonValue } from '../base/json.ts';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number | null;
  labels?: Record<string, string> | null;
  annotations?: Record<string, string> | null;
  ownerReferences?: OwnerReference[] | null;
  finalizers?: string[] | null;
  managedFields?: ManagedFieldsEntry[] | null;
  selfLink?: string;
  clusterName?: string;
}

/** Any object of the API once its structure was checked: metadata is typed, the rest is JSON. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** Reads an object as plain JSON, for code that walks it by schema. */
export function asJson(object: ApiObject): JsonObject {
  return object as unknown as JsonObject;
}

/** Reads checked JSON as an object; the caller has verified that metadata is an object. */
export function asApiObject(value: JsonValue): ApiObject {
  return value as unknown as ApiObject;
}

/** True for an update of nothing but owners and finalizers, which garbage collection makes. */
export function changesOnlyCollection(next: ApiObject, before: ApiObject): boolean {
  return deepEqual(withoutCollection(next), withoutCollection(before));
}

function withoutCollection(object: ApiObject): JsonObject {
  const json = asJson(object);
  const { metadata } = json;
  if (!isObject(metadata)) return json;
  const { finalizers: _f, ownerReferences: _o, managedFields: _m, resourceVersion: _r, ...rest } = metadata;
  return { ...json, metadata: rest };
}
