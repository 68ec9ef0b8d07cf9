/** Conditions of objects: one entry per type, each True, False or Unknown. */
import type { FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Maybe } from './rules.ts';
import { each, need, oneOf, repeated } from './rules.ts';

export interface ConditionLike {
  readonly type?: Maybe<string>;
  readonly status?: Maybe<string>;
}

const isKnown = oneOf(['True', 'False', 'Unknown']);

export function validateConditions(
  conditions: Maybe<readonly ConditionLike[]>,
  path: FieldPath,
): FieldError[] {
  return [
    ...each(conditions, path, (condition, at) => [
      ...need(condition.type, at.child('type')),
      ...need(condition.status, at.child('status'), isKnown),
    ]),
    ...repeated(conditions, path, (condition) => ({ value: condition.type ?? undefined, at: 'type' })),
  ];
}
