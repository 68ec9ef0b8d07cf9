/** Whether labels meet a selector of an object, where it is asked once: nothing is made of the selector before. */
import { labelOf, type Labels } from '../meta/label-requirements.ts';
import type { LabelSelectorLike } from './validation/validate-label-selector.ts';

type Expression = NonNullable<NonNullable<LabelSelectorLike['matchExpressions']>>[number];

/** True when the labels meet all requirements of a selector that validation has accepted; an empty one selects all. */
export function selectorHolds(selector: LabelSelectorLike, labels: Labels): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    if (labelOf(labels, key) !== value) return false;
  return (selector.matchExpressions ?? []).every((expression) => expressionHolds(expression, labels));
}

function expressionHolds({ key, operator, values }: Expression, labels: Labels): boolean {
  const value = labelOf(labels, key ?? '');
  const isAmong = value !== undefined && values?.includes(value) === true;
  switch (operator ?? '') {
    case 'In':
      return isAmong;
    case 'NotIn':
      return !isAmong;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return value !== undefined;
  }
}
