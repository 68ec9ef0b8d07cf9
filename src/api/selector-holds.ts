/** Whether labels meet a selector of an object, where it is asked once: nothing is made of the selector before. */
import { labelOf, type Labels } from '../meta/label-requirements.ts';
import type { LabelSelectorLike } from './validation/validate-label-selector.ts';

type Expression = NonNullable<NonNullable<LabelSelectorLike['matchExpressions']>>[number];

/** True when the labels meet all requirements of a selector that validation has accepted; an empty one selects all. */
export function selectorHolds(selector: LabelSelectorLike, labels: Labels): boolean {
  return refusedLabel(selector, labels) === undefined;
}

/** The label of the first requirement that is not met; undefined if all are. */
export function refusedLabel(selector: LabelSelectorLike, labels: Labels): string | undefined {
  const { matchLabels, matchExpressions } = selector;
  for (const key in matchLabels)
    if (Object.hasOwn(matchLabels, key) && labelOf(labels, key) !== matchLabels[key]) return key;
  const broken = matchExpressions?.find((expression) => !expressionHolds(expression, labels));
  return broken && (broken.key ?? '');
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
