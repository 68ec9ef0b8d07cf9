/** Validation of a write: rules of metadata and of the kind, all faults at once. */
import type { ApiContext, Strategy } from '../api/types.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../api/validation/metadata.ts';
import type { FieldError } from '../meta/field-error.ts';
import type { ApiObject } from '../meta/object.ts';
import { invalidObject } from '../meta/status.ts';
import { enumFaults, nameOf } from './decode-object.ts';
import type { RequestScope } from './types.ts';
import { versionFaults } from './version-rules.ts';

/** Rules of a create; `sent`: what `sentFaults` found. @throws StatusError 422 with every fault */
export function assertValidCreate(
  scope: RequestScope,
  object: ApiObject,
  context: ApiContext,
  sent: readonly FieldError[],
): void {
  const { resource } = scope;
  const strategy: Strategy<ApiObject> = resource.definition.strategy;
  refuse(scope, object, [
    ...validateObjectMeta(object.metadata, {
      namespaced: resource.namespaced,
      nameRule: resource.definition.validateName,
      bareFinalizers: [resource.naming.namespaceFinalizer],
    }),
    ...enumFaults(resource, object),
    ...(strategy.validate?.(object, context) ?? []),
    ...versionFaults(scope, object, context, sent),
  ]);
}

/** What an update makes of what there is, and what was found wrong with it as it was sent (`sentFaults`). */
export interface CheckedUpdate {
  readonly next: ApiObject;
  readonly current: ApiObject;
  readonly sent: readonly FieldError[];
}

/** Rules of an update of the object or of a subresource. @throws StatusError 422 with every fault */
export function assertValidUpdate(
  scope: RequestScope,
  { next, current, sent }: CheckedUpdate,
  context: ApiContext,
): void {
  const { resource } = scope;
  const writer =
    scope.subresource === '' ? resource.definition.strategy : resource.subresource(scope.subresource);
  refuse(scope, next, [
    ...validateObjectMetaUpdate(next.metadata, current.metadata, undefined, [
      resource.naming.namespaceFinalizer,
    ]),
    ...enumFaults(resource, next, current),
    ...(writer?.validateUpdate?.(next, current, context) ?? []),
    ...versionFaults(scope, next, context, sent),
  ]);
}

function refuse(scope: RequestScope, object: ApiObject, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject(scope.resource.gvk, nameOf(object.metadata), faults);
}
