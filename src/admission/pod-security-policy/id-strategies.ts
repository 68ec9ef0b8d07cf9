/** Which users and groups a policy allows, and which it sets where a pod names none. */
import type { IDRange } from '../../api/policy/v1beta1.types.ts';
import { toNumber, type Maybe } from '../../api/validation/rules.ts';
import { errorsOf, invalid, required, type FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

interface IdRule {
  readonly rule?: Maybe<string>;
  readonly ranges?: Maybe<readonly IDRange[]>;
}

export interface GroupStrategy {
  /** What is set where a pod names none; undefined: nothing. */
  readonly initial: number | undefined;
  validate(at: FieldPath, groups: readonly number[]): FieldError[];
}

export interface UserStrategy {
  readonly initial: number | undefined;
  /** Sets `runAsNonRoot` where neither it nor a user is named. */
  readonly wantsNonRoot: boolean;
  validate(at: FieldPath, isNonRoot: boolean | undefined, user: number | undefined): FieldError[];
}

const anyGroup: GroupStrategy = { initial: undefined, validate: () => [] };
const anyUser: UserStrategy = { initial: undefined, wantsNonRoot: false, validate: () => [] };

/** undefined: the rule cannot be used, and the policy with it. */
export function groupStrategy({ rule, ranges }: IdRule): GroupStrategy | undefined {
  if (rule === 'RunAsAny') return anyGroup;
  const isRequired = rule === 'MustRunAs';
  if ((!isRequired && rule !== 'MayRunAs') || !ranges?.[0]) return undefined;
  return {
    initial: isRequired ? toNumber(ranges[0].min ?? 0) : undefined,
    validate: (at, groups) => [
      ...(isRequired && groups.length === 0
        ? [invalid(at, [], 'unable to validate empty groups against required ranges')]
        : []),
      ...errorsOf(groups, (group) =>
        isIn(ranges, group)
          ? []
          : [invalid(at, groups, `group ${String(group)} must be in the ranges: ${shown(ranges)}`)],
      ),
    ],
  };
}

/** undefined: the rule cannot be used, and the policy with it. */
export function userStrategy({ rule, ranges }: IdRule): UserStrategy | undefined {
  if (rule === 'RunAsAny') return anyUser;
  if (rule === 'MustRunAsNonRoot')
    return { initial: undefined, wantsNonRoot: true, validate: validateNonRoot };
  if (rule !== 'MustRunAs' || !ranges?.[0]) return undefined;
  return {
    initial: toNumber(ranges[0].min ?? 0),
    wantsNonRoot: false,
    validate: (at, _isNonRoot, user) => {
      const field = at.child('runAsUser');
      if (user === undefined) return [required(field)];
      return isIn(ranges, user) ? [] : [invalid(field, user, `must be in the ranges: ${shown(ranges)}`)];
    },
  };
}

/** A user that the image chooses is checked by the node's agent. */
function validateNonRoot(
  at: FieldPath,
  isNonRoot: boolean | undefined,
  user: number | undefined,
): FieldError[] {
  const field = at.child('runAsNonRoot');
  if (isNonRoot === undefined && user === undefined) return [required(field, 'must be true')];
  if (isNonRoot === false) return [invalid(field, false, 'must be true')];
  return user === 0 ? [invalid(at.child('runAsUser'), 0, 'running with the root UID is forbidden')] : [];
}

function isIn(ranges: readonly IDRange[], id: number): boolean {
  return ranges.some(({ min = 0, max = 0 }) => id >= toNumber(min) && id <= toNumber(max));
}

function shown(ranges: readonly IDRange[]): string {
  return `[${ranges.map(({ min = 0, max = 0 }) => `{${String(toNumber(min))} ${String(toNumber(max))}}`).join(' ')}]`;
}
