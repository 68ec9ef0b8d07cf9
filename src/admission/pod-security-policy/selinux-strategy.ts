/** Which SELinux context a policy requires. */
import type { SELinuxOptions } from '../../api/core/v1.types.ts';
import type { SELinuxStrategyOptions } from '../../api/policy/v1beta1.types.ts';
import { invalid, required, type FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

type Sent = SELinuxOptions | null | undefined;

export interface SELinuxStrategy {
  /** What is set where nothing is named. */
  readonly initial: SELinuxOptions | undefined;
  validate(at: FieldPath, sent: Sent): FieldError[];
}

/** undefined: the rule cannot be used, and the policy with it. */
export function seLinuxStrategy({
  rule,
  seLinuxOptions,
}: SELinuxStrategyOptions): SELinuxStrategy | undefined {
  if (rule === 'RunAsAny') return { initial: undefined, validate: () => [] };
  if (rule !== 'MustRunAs' || !seLinuxOptions) return undefined;
  return { initial: seLinuxOptions, validate: (at, sent) => validate(seLinuxOptions, at, sent) };
}

function validate(wanted: SELinuxOptions, at: FieldPath, sent: Sent): FieldError[] {
  if (!sent) return [required(at)];
  return (['level', 'role', 'type', 'user'] as const).flatMap((field) => {
    const [value, other] = [wanted[field] ?? '', sent[field] ?? ''];
    const isSame = value === other || (field === 'level' && isSameLevel(value, other));
    return isSame ? [] : [invalid(at.child(field), other, `must be ${value}`)];
  });
}

/** `s0:c6,c0`: the order of categories does not matter. */
function isSameLevel(a: string, b: string): boolean {
  const [sensitivityA, categoriesA] = splitLevel(a);
  const [sensitivityB, categoriesB] = splitLevel(b);
  return categoriesA !== undefined && sensitivityA === sensitivityB && categoriesA === categoriesB;
}

function splitLevel(level: string): readonly [string, string | undefined] {
  const colon = level.indexOf(':');
  if (colon < 0) return [level, undefined];
  const categories = level
    .slice(colon + 1)
    .split(',')
    .sort();
  return [level.slice(0, colon), categories.join(',')];
}
