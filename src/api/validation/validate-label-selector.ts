/** Label selectors inside objects (`matchLabels`, `matchExpressions`). */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { labelValue, validateLabelName, validateLabels } from './labels.ts';
import type { Maybe } from './rules.ts';
import { each, invalidEach, given } from './rules.ts';

export interface LabelSelectorLike {
  readonly matchLabels?: Maybe<Readonly<Record<string, string>>>;
  readonly matchExpressions?: Maybe<readonly RequirementLike[]>;
}

interface RequirementLike {
  readonly key?: Maybe<string>;
  readonly operator?: Maybe<string>;
  readonly values?: Maybe<readonly string[]>;
}

/** Keys, operators and values of a selector; an empty selector is allowed. */
export function validateLabelSelector(selector: Maybe<LabelSelectorLike>, path: FieldPath): FieldError[] {
  return given(selector, path, (value) => [
    ...validateLabels(value.matchLabels, path.child('matchLabels')),
    ...each(value.matchExpressions, path.child('matchExpressions'), validateRequirement),
  ]);
}

/** True when a selector selects by nothing. */
export function isEmptySelector(selector: Maybe<LabelSelectorLike>): boolean {
  return (
    Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0
  );
}

function validateRequirement(requirement: RequirementLike, path: FieldPath): FieldError[] {
  return [
    ...operatorErrors(requirement, path),
    ...validateLabelName(requirement.key ?? '', path.child('key')),
    ...each(requirement.values, path.child('values'), (value, at) =>
      invalidEach(value, at, labelValue(value)),
    ),
  ];
}

function operatorErrors(requirement: RequirementLike, path: FieldPath): FieldError[] {
  const count = (requirement.values ?? []).length;
  switch (requirement.operator ?? '') {
    case 'In':
    case 'NotIn':
      return count === 0
        ? [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [
            forbidden(
              path.child('values'),
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator')];
  }
}
