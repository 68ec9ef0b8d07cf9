/** Fourth step of a write: rules of metadata and of the kind, all errors at once. */
import type { Strategy } from '../../api/types.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/validation/metadata.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { invalidObject } from '../../meta/status.ts';
import { enumErrors, nameOf } from './decode.ts';
import type { RequestScope, ServedResource } from '../types.ts';
import { versionErrors } from './version-rules.ts';
import type { Draft, Write } from './write.ts';

/** Validates the prepared object of a draft. @throws StatusError 422 with every error */
export function assertValid(write: Write, draft: Draft): void {
  const { scope, context } = write;
  const errors = draft.base ? updateErrors(write, draft, draft.base.object) : createErrors(write, draft);
  refuse(scope, draft.object, [...errors, ...versionErrors(scope, draft.object, context, draft.sentErrors)]);
}

/** Tells the client what the strategy warns of; writes through a subresource are not looked at. */
export function warnOf({ scope, context }: Write, { object }: Draft): void {
  if (scope.subresource !== '') return;
  for (const text of scope.resource.definition.strategy.warnings?.(object, context) ?? []) scope.warn(text);
}

function createErrors({ scope, context }: Write, { object }: Draft): FieldError[] {
  const { resource } = scope;
  const strategy: Strategy<ApiObject> = resource.definition.strategy;
  return [
    ...validateObjectMeta(object.metadata, {
      namespaced: resource.namespaced,
      nameRule: resource.definition.validateName,
      bareFinalizers: bareFinalizers(resource),
    }),
    ...enumErrors(resource, object),
    ...(strategy.validate?.(object, context) ?? []),
  ];
}

/** Errors of an update of the object or a subresource. */
function updateErrors({ scope, context }: Write, { object }: Draft, before: ApiObject): FieldError[] {
  const { resource } = scope;
  const writer: Pick<Strategy<ApiObject>, 'validateUpdate'> | undefined =
    scope.subresource === '' ? resource.definition.strategy : resource.subresource(scope.subresource);
  return [
    ...validateObjectMetaUpdate(object.metadata, before.metadata, undefined, bareFinalizers(resource)),
    ...enumErrors(resource, object, before),
    ...(writer?.validateUpdate?.(object, before, context) ?? []),
  ];
}

/** Finalizers of a kind that need no domain; undefined: none does. */
function bareFinalizers({ definition, naming }: ServedResource): readonly string[] | undefined {
  return definition.strategy.allowsBareFinalizers === true ? undefined : [naming.namespaceFinalizer];
}

function refuse(scope: RequestScope, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(scope.resource.gvk, nameOf(object.metadata), errors);
}
