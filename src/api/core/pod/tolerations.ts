/** Tolerations: which taints of nodes a pod bears. */
import { canonicalJson } from '../../../base/canonical-json.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, invalid, notSupported } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { labelValue, validateLabelName } from '../../validation/labels.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each, invalidEach, given } from '../../validation/rules.ts';
import type { Toleration } from '../v1.types.ts';
import type { PodRights } from './privileged.ts';

export function validateTolerations(
  tolerations: Maybe<readonly Toleration[]>,
  path: FieldPath,
  rights?: Pick<PodRights, 'isFeatureEnabled'>,
): FieldError[] {
  const mayCompare = rights?.isFeatureEnabled('TaintTolerationComparisonOperators') === true;
  return each(tolerations, path, (toleration, at) =>
    allOf(validateToleration(toleration, at), comparisonErrors(toleration, at, mayCompare)),
  );
}

/** Taints may be compared as whole numbers (KEP-5471). */
function comparisonErrors(
  { operator, value }: Toleration,
  path: FieldPath,
  mayCompare: boolean,
): FieldError[] {
  if (operator !== 'Gt' && operator !== 'Lt') return [];
  if (!mayCompare) return [notSupported(path.child('operator'), operator, ['Equal', 'Exists'])];
  return /^-?(?:0|[1-9][0-9]*)$/.test(value ?? '')
    ? []
    : [invalid(path.child('value'), value ?? '', 'value must be a valid integer for numeric operators')];
}

function validateToleration(toleration: Toleration, path: FieldPath): FieldError[] {
  const operator = toleration.operator ?? '';
  const value = toleration.value ?? '';
  return allOf(
    given(toleration.key || undefined, path.child('key'), validateLabelName),
    !toleration.key && operator !== 'Exists'
      ? [
          invalid(
            path.child('operator'),
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : [],
    toleration.tolerationSeconds != null && toleration.effect !== 'NoExecute'
      ? [
          invalid(
            path.child('effect'),
            toleration.effect ?? '',
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : [],
    operator === 'Exists' && value !== ''
      ? [invalid(path.child('operator'), toleration, "value must be empty when `operator` is 'Exists'")]
      : [],
    operator === '' || operator === 'Equal'
      ? invalidEach(value, path.child('operator'), labelValue(value))
      : [],
  );
}

/** True when `next` tolerates all that `current` did; only seconds of an existing toleration may differ. */
export function onlyAddsTolerations(
  next: Maybe<readonly Toleration[]>,
  current: Maybe<readonly Toleration[]>,
): boolean {
  if (next === current) return true;
  const kept = new Set((next ?? []).map(withoutSeconds));
  return (current ?? []).every((old) => kept.has(withoutSeconds(old)));
}

/** A text that is the same for tolerations that differ in nothing but their seconds. */
function withoutSeconds({ tolerationSeconds: _seconds, ...rest }: Toleration): string {
  return canonicalJson(rest);
}

/** Tolerations that repeat an earlier one in everything. */
export function repeatedTolerations(
  tolerations: Maybe<readonly Toleration[]>,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return each(tolerations, path, (toleration, at) => {
    const text = canonicalJson(toleration as JsonObject);
    if (seen.has(text)) return [duplicate(at, toleration)];
    seen.add(text);
    return [];
  });
}
