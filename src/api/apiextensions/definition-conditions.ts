/** Conditions of a definition: what was found out about it. */
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { transitionTime } from '../../meta/transition-time.ts';
import type { CustomResourceDefinitionCondition as Condition } from './v1.types.ts';

export type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'Terminating'
  | 'NonStructuralSchema'
  | 'KubernetesAPIApprovalPolicyConformant';

export interface Finding {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Holds a definition back until its objects are gone. */
export function cleanupFinalizer(naming: NamingProfile): string {
  return expandNames('customresourcecleanup.apiextensions.{api}', naming);
}

export function isTrue(conditions: readonly Condition[] | null | undefined, type: ConditionType): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

/** The conditions with a finding: one of its type changes its time only with its status. */
export function withFinding(
  conditions: readonly Condition[] | null | undefined,
  finding: Finding,
  now: string,
): Condition[] {
  const others = conditions ?? [];
  const before = others.find(({ type }) => type === finding.type);
  const next: Condition = { ...finding, lastTransitionTime: transitionTime(before, finding.status, now) };
  return before ? others.map((c) => (c === before ? next : c)) : [...others, next];
}

/** The conditions without one of a type. */
export function withoutFinding(
  conditions: readonly Condition[] | null | undefined,
  type: ConditionType,
): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
