/** The status subresource of kinds whose status is a list of conditions. */
import type { FieldError } from '../meta/field-error.ts';
import { FieldPath } from '../meta/field-path.ts';
import type { ApiObject } from '../meta/object.ts';
import { statusSubresource, keepAllButStatus } from './define.ts';
import type { SubresourceDefinition } from './types.ts';
import type { ConditionLike } from './validation/validate-conditions.ts';
import { each, need, repeated } from './validation/rules.ts';

type Conditioned = ApiObject & { status?: { conditions?: ConditionLike[] | null | undefined } | undefined };

function validateStatus({ status }: Conditioned): FieldError[] {
  const path = FieldPath.of('status').child('conditions');
  return [
    ...each(status?.conditions, path, ({ type }, at) => need(type, at.child('type'))),
    ...repeated(status?.conditions, path, ({ type }) => ({ value: type ?? undefined, at: 'type' })),
  ];
}

/** A status write leaves spec and metadata. */
export function conditionsSubresource<T extends Conditioned>(): SubresourceDefinition<T> {
  return statusSubresource<T>({
    prepareForUpdate: keepAllButStatus,
    validateUpdate: validateStatus,
  });
}
