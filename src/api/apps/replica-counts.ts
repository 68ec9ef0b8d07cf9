/** Counts in the status of kinds with replicas. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { Maybe } from '../validation/rules.ts';
import { given, nonNegative } from '../validation/rules.ts';

const path = FieldPath.of('status');

/** Counts that are not negative and, each, no larger than `status.replicas`. */
export function validateParts<F extends string>(
  status: Maybe<Readonly<Partial<Record<F | 'replicas', Maybe<number>>>>>,
  fields: readonly F[],
): FieldError[] {
  const total = status?.replicas ?? 0;
  const all: readonly (F | 'replicas')[] = ['replicas', ...fields];
  return [
    ...all.flatMap((field) => given<number>(status?.[field], path.child(field), nonNegative)),
    ...fields
      .filter((field) => (status?.[field] ?? 0) > total)
      .map((field) => invalid(path.child(field), status?.[field], 'cannot be greater than status.replicas')),
  ];
}

/** What is available is ready. */
export function availableErrors(
  status: Maybe<{ availableReplicas?: number | undefined; readyReplicas?: number | undefined }>,
): FieldError[] {
  const available = status?.availableReplicas ?? 0;
  return available > (status?.readyReplicas ?? 0)
    ? [invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas')]
    : [];
}

/** Fields that the system counts and that are never negative. */
export function validateCounts<F extends string>(
  status: Maybe<Readonly<Partial<Record<F, unknown>>>>,
  fields: readonly F[],
): FieldError[] {
  return fields.flatMap((field) => given(status?.[field] as Maybe<number>, path.child(field), nonNegative));
}

/** A count of collisions never falls. */
export function collisionErrors(
  next: Maybe<{ collisionCount?: number | null | undefined }>,
  current: Maybe<{ collisionCount?: number | null | undefined }>,
): FieldError[] {
  const before = current?.collisionCount;
  const after = next?.collisionCount;
  if (before == null) return [];
  const at = path.child('collisionCount');
  return after == null || after < before ? [invalid(at, after ?? null, 'cannot be decremented')] : [];
}
