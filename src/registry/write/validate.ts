/** Fourth step of a write: rules of metadata and of the kind, all errors at once. */
import type { Strategy } from '../../api/types.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/validation/metadata.ts';
import { deepCopy, deepEqual } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { asApiObject, asJson, type ApiObject } from '../../meta/object.ts';
import { invalidObject } from '../../meta/status.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import { statedErrors, nameOf } from './decode.ts';
import type { RequestScope, ServedResource } from '../types.ts';
import { versionErrors } from './version-rules.ts';
import type { Base, Draft, Write } from './write.ts';

/** Validates the prepared object of a draft. @throws StatusError 422 with every error; rejects with it where rules take long */
export function assertValid(write: Write, draft: Draft): MaybePromise<void> {
  const { scope, context } = write;
  const { object, base } = draft;
  const others = base ? errorsOfUpdate(write, draft, base) : createErrors(write, draft);
  const judged = { before: base?.object, context, others };
  return whenReady(judgeOf(scope, base)?.(object, judged) ?? [], (found) => {
    refuse(scope, object, [...others, ...found, ...versionErrors(scope, object, context, draft.sentErrors)]);
  });
}

/** Rules that may take long, of the object or of the subresource that is written. */
function judgeOf({ resource, subresource }: RequestScope, base: Draft['base']): Strategy<ApiObject>['judge'] {
  return base && subresource !== ''
    ? resource.subresource(subresource)?.judge
    : resource.definition.strategy.judge;
}

/** Tells the client what the strategy warns of; writes through a subresource are not looked at. */
export function warnOf({ scope, context }: Write, { object, base }: Draft): void {
  if (scope.subresource !== '') return;
  const { strategy } = scope.resource.definition;
  for (const text of strategy.warnings?.(object, context, base?.object) ?? []) scope.warn(text);
}

function createErrors({ scope, context }: Write, { object }: Draft): FieldError[] {
  const { resource } = scope;
  const strategy: Strategy<ApiObject> = resource.definition.strategy;
  return [
    ...validateObjectMeta(object.metadata, {
      namespaced: resource.namespaced,
      nameRule: (name, isPrefix) => resource.definition.validateName(name, isPrefix, context),
      bareFinalizers: bareFinalizers(resource),
    }),
    ...statedErrors(resource, object),
    ...(strategy.validate?.(object, context) ?? []),
  ];
}

/**
 * An object that another release has stored lacks the defaults of this one, or has zeros that it no longer writes: what an
 * update seems to change by that alone is no error. It is looked at only where something is wrong, for objects are large.
 */
function errorsOfUpdate(write: Write, draft: Draft, { object, isRemembered }: Base): FieldError[] {
  const errors = updateErrors(write, draft, object);
  const { storage } = write.scope.resource;
  if (errors.length === 0 || isRemembered || !storage.applyDefaults) return errors;
  const completed = deepCopy(asJson(object));
  storage.applyDefaults(completed, write.context);
  fillZeroValues(storage.schema, completed);
  return deepEqual(completed, asJson(object)) ? errors : updateErrors(write, draft, asApiObject(completed));
}

/** Errors of an update of the object or a subresource. */
function updateErrors({ scope, context }: Write, { object }: Draft, before: ApiObject): FieldError[] {
  const { resource } = scope;
  const writer: Pick<Strategy<ApiObject>, 'validateUpdate'> | undefined =
    scope.subresource === '' ? resource.definition.strategy : resource.subresource(scope.subresource);
  return [
    ...validateObjectMetaUpdate(object.metadata, before.metadata, undefined, bareFinalizers(resource)),
    ...statedErrors(resource, object, before),
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
