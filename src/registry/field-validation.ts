/** Fields that were sent and cannot be used: refused, told of or dropped, as the request's `fieldValidation` says. */
import type { GroupVersionKind } from '../meta/gvk.ts';
import { badRequest } from '../meta/status.ts';
import type { StructureResult } from '../schema/structure.ts';
import type { RequestScope } from './types.ts';

/**
 * Judges what the structural check of a body found: what does not fit is always refused, unknown and duplicate fields
 * as the client wishes.
 * @throws StatusError 400 with all of it
 */
export function assertUsable(
  { fieldValidation, warn }: Pick<RequestScope, 'fieldValidation' | 'warn'>,
  { kind, version }: GroupVersionKind,
  { errors, unknown }: Pick<StructureResult, 'errors' | 'unknown'>,
): void {
  const unusable = fieldValidation ? [...fieldValidation.faults, ...unknown.map(unknownField)] : [];
  const isStrict = fieldValidation?.directive === 'Strict' && unusable.length > 0;
  if (errors.length > 0 || isStrict) {
    const faults = [...errors];
    if (isStrict) faults.push(`strict decoding error: ${unusable.join(', ')}`);
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${faults.join('; ')}`);
  }
  for (const fault of unusable) warn(fault);
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}
