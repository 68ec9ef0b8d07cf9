/** Server-side field validation (KEP-2885): invalid fields are rejected, reported in warnings or dropped. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { badRequest, invalidObject, type StatusError } from '../../meta/status.ts';
import type { StructureResult } from '../../schema/structure.ts';
import type { RequestScope } from '../types.ts';

/** The error for a body with structural errors, which include their paths. */
export type Refuse = (gvk: GroupVersionKind, errors: readonly string[]) => StatusError;

/** For a body that the client sent. */
const refuseBody: Refuse = ({ kind, version }, errors) =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${errors.join('; ')}`);

/** For the result of a patch: the patch itself was valid, but not for this object. */
export function refusePatched(name: string): Refuse {
  return (gvk, errors) =>
    invalidObject(
      gvk,
      name,
      errors.map((error) => ({
        reason: 'FieldValueInvalid',
        field: 'patch',
        message: `Invalid value: ${error}`,
      })),
    );
}

/**
 * Handles errors of the structural check: wrong types are always rejected, unknown and duplicate fields by the
 * directive.
 * @throws StatusError 400 with all errors, unless `refuse` returns another
 */
export function assertUsable(
  { fieldValidation, warn }: Pick<RequestScope, 'fieldValidation' | 'warn'>,
  gvk: GroupVersionKind,
  { errors, unknown }: Pick<StructureResult, 'errors' | 'unknown'>,
  refuse: Refuse = refuseBody,
): void {
  const unusable = fieldValidation ? [...fieldValidation.errors, ...unknown.map(unknownField)] : [];
  const isStrict = fieldValidation?.directive === 'Strict' && unusable.length > 0;
  const strict = isStrict ? [`strict decoding error: ${unusable.join(', ')}`] : [];
  if (errors.length > 0) throw refuse(gvk, [...errors, ...strict]);
  if (isStrict) throw refuseBody(gvk, strict);
  for (const error of unusable) warn(error);
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}
