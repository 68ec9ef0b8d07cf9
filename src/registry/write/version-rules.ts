/** Validation rules of a single version (Ingress v1 requires pathType), with its field paths. */
import type { ApiContext } from '../../api/types.ts';
import { deepCopy } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import type { RequestScope } from '../types.ts';

/**
 * Errors of the sent object by the rules of the requested version, if the storage version has other fields and could
 * lose contradictions. Reported with all other errors, after admission.
 */
export function sentErrors(scope: RequestScope, sent: ApiObject, context: ApiContext): FieldError[] {
  return scope.resource.conversion.isInternal ? [] : judge(scope, sent, context);
}

/** Version errors of the admitted object; `sent` are the earlier errors. */
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

/** Rules of the object itself; subresources have their own. */
function rulesOf({ resource, subresource }: RequestScope): VersionRules | undefined {
  if (subresource !== '') return undefined;
  return resource.definition.versions.find(({ version }) => version === resource.gvk.version)?.validate;
}

type VersionRules = (object: ApiObject, context: ApiContext) => FieldError[];
