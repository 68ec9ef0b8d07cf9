/** Conditions of a request: approval and denial are final, and said under their own path. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { formatSeconds } from '../../meta/time.ts';
import { transitionTime } from '../../meta/transition-time.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, need } from '../validation/rules.ts';
import type { CertificateSigningRequestCondition as Condition } from './v1.types.ts';

export type Conditions = Maybe<readonly Condition[]>;

const path = FieldPath.of('status').child('conditions');
const verdicts = ['Approved', 'Denied'] as const;
const final = [...verdicts, 'Failed'];

function has(conditions: Conditions, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type);
}

/** Rules of conditions in every version. */
export function validateVerdicts(conditions: Conditions): FieldError[] {
  return [
    ...each(conditions, path, ({ type = '', status }, at) => [
      ...need(type, at.child('type')),
      ...(final.includes(type) && status !== 'True'
        ? [invalid(at.child('status'), status ?? '', `status must be True for condition type ${type}`)]
        : []),
    ]),
    ...(verdicts.every((type) => has(conditions, type))
      ? [invalid(path, 'Approved, Denied', 'Approved and Denied conditions are mutually exclusive')]
      : []),
  ];
}

/** What was decided stays decided; `mayDecide`: under the path of approvals. */
export function validateChange(next: Conditions, current: Conditions, mayDecide: boolean): FieldError[] {
  return [
    ...final
      .filter((type) => has(current, type) && !has(next, type))
      .map((type) => forbidden(path, `updates may not remove a condition of type "${type}"`)),
    ...(mayDecide ? [] : verdicts)
      .filter((type) => has(next, type) && !has(current, type))
      .map((type) => forbidden(path, `updates may not add a condition of type "${type}"`)),
  ];
}

/** Times of conditions that their writer left out. Mutates. */
export function stampConditions(next: Maybe<Condition[]>, current: Conditions, now: Date): void {
  const stamp = formatSeconds(now);
  const byType = new Map((current ?? []).toReversed().map((condition) => [condition.type, condition]));
  for (const condition of next ?? []) {
    const before = byType.get(condition.type);
    condition.lastUpdateTime ??= stamp;
    condition.lastTransitionTime ??= transitionTime(before, condition.status, stamp);
  }
}
