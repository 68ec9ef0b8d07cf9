/** What an endpoint can write of an object, and how entries of managed fields tell endpoints apart (KEP-555). */
import type { JsonObject } from '../../base/json.ts';
import { currentRelease, isAtLeast, type Release } from '../../observe/release.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';

/** The first release whose entries name the subresource that was written. */
const firstWithSubresources = { major: 1, minor: 22 };

/** Fields of the schemas that the release does not have yet, as `<schema name>.<field>`. */
export function laterFields(release: Release): ReadonlySet<string> {
  return new Set(isAtLeast(release, firstWithSubresources) ? [] : ['meta/v1.ManagedFieldsEntry.subresource']);
}

/**
 * `subresource` of the entry of a write: before release 1.22 entries have none, and a manager has one entry for the
 * object and its status.
 */
export function entrySubresource({ release = currentRelease }: RegistryDeps, scope: RequestScope): string {
  return isAtLeast(release, firstWithSubresources) ? scope.subresource : '';
}

/**
 * The fields of a configuration that this endpoint can write: status only through its subresource, which writes
 * nothing else. Others would be owned without effect.
 */
export function reachable(scope: RequestScope, object: JsonObject): JsonObject {
  if (!scope.resource.subresource('status')) return object;
  const { status, ...rest } = object;
  if (scope.subresource !== 'status') return rest;
  const { kind, apiVersion, metadata } = object;
  return {
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(metadata !== undefined && { metadata }),
    ...(status !== undefined && { status }),
  };
}

/**
 * The members of an applier's `fieldsV1` that this endpoint cannot write: they stay owned, where one entry stands for
 * the object and its status.
 */
export function unreachableFields(scope: RequestScope, fieldsV1: JsonObject): JsonObject {
  if (!scope.resource.subresource('status')) return {};
  const { 'f:status': status, ...rest } = fieldsV1;
  if (scope.subresource !== 'status') return status === undefined ? {} : { 'f:status': status };
  const { 'f:metadata': _metadata, ...others } = rest;
  return others;
}
