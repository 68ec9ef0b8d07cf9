/** Selectors of access reviews (KEP-4601): as text, or as requirements, whose operators may be newer than this service. */
import { forbidden, invalid, required, type FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { given } from '../validation/rules.ts';
import type { FieldSelectorAttributes, LabelSelectorAttributes, ResourceAttributes } from './v1.types.ts';

type Selector = FieldSelectorAttributes | LabelSelectorAttributes;
type Requirement = NonNullable<Selector['requirements']>[number];

export function selectorErrors(
  { fieldSelector, labelSelector }: ResourceAttributes,
  at: FieldPath,
): FieldError[] {
  return [
    ...given<Selector>(fieldSelector, at.child('fieldSelector'), errorsOf),
    ...given<Selector>(labelSelector, at.child('labelSelector'), errorsOf),
  ];
}

function errorsOf({ rawSelector = '', requirements }: Selector, at: FieldPath): FieldError[] {
  const all = requirements ?? [];
  const list = at.child('requirements');
  return [
    ...(rawSelector !== '' && all.length > 0
      ? [invalid(at.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements')]
      : []),
    ...(rawSelector === '' && all.length === 0
      ? [required(list, `when ${at.toString()} is specified, requirements or rawSelector is required`)]
      : []),
    ...all.flatMap((requirement, index) => requirementErrors(requirement, list.index(index))),
  ];
}

function requirementErrors({ key = '', operator = '', values }: Requirement, at: FieldPath): FieldError[] {
  const count = values?.length ?? 0;
  return [
    ...(key === '' ? [required(at.child('key'), 'must be specified')] : []),
    ...((operator === 'In' || operator === 'NotIn') && count === 0
      ? [required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")]
      : []),
    ...((operator === 'Exists' || operator === 'DoesNotExist') && count > 0
      ? [forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
      : []),
  ];
}
