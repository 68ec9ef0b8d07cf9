/** Fields that were sent and cannot be used: rejected, reported in a warning or dropped, as the request's `fieldValidation` says. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { badRequest, invalidObject, type StatusError } from '../../meta/status.ts';
import type { StructureResult } from '../../schema/structure.ts';
import type { RequestScope } from '../types.ts';

/** The answer to a body with errors in its structure; each says its place. */
export type Refuse = (gvk: GroupVersionKind, errors: readonly string[]) => StatusError;

/** Of a body that a client sent as it is. */
const refuseBody: Refuse = ({ kind, version }, errors) =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${errors.join('; ')}`);

/** Of what a patch makes: the patch itself could be read, but the object that it was meant for takes no such values. */
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
 * Judges what the structural check of a body found: what does not fit is always refused, unknown and duplicate fields
 * as the client wishes.
 * @throws StatusError 400 with all of it, where `refuse` says nothing else
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
