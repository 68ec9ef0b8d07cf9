/** Rules that hold in one version only (Ingress v1 wants path types), with the field paths of that version. */
import type { ApiContext } from '../../api/types.ts';
import { deepCopy } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import type { RequestScope } from '../types.ts';

/**
 * What the rules of the request's version say of an object as sent, where the storage version has other fields: what
 * contradicts itself there may be lost in it. Reported with all other errors, after admission.
 */
export function sentErrors(scope: RequestScope, sent: ApiObject, context: ApiContext): FieldError[] {
  return scope.resource.conversion.isInternal ? [] : judge(scope, sent, context);
}

/** The same of an object of the storage version as admission left it; `sent`: what was found wrong before. */
export function versionErrors(
  scope: RequestScope,
  object: ApiObject,
  context: ApiContext,
  sent: readonly FieldError[],
): readonly FieldError[] {
  if (sent.length > 0 || !rulesOf(scope)) return sent;
  const { resource } = scope;
  const shown = resource.conversion.isInternal
    ? object
    : asApiObject(resource.conversion.fromInternal(deepCopy(asJson(object))));
  return judge(scope, shown, context);
}

function judge(scope: RequestScope, object: ApiObject, context: ApiContext): FieldError[] {
  return rulesOf(scope)?.(object, context) ?? [];
}

/** They are rules of the object itself: its subresources have theirs. */
function rulesOf({ resource, subresource }: RequestScope): VersionRules | undefined {
  if (subresource !== '') return undefined;
  return resource.definition.versions.find(({ version }) => version === resource.gvk.version)?.validate;
}

type VersionRules = (object: ApiObject, context: ApiContext) => FieldError[];
