/** Label selectors of objects, compiled for many labels; one has room for 30,000 keys. */
import { JoinedRequirements, type Operator, type Requirement } from '../meta/label-requirements.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { LabelSelectorLike } from './validation/validate-label-selector.ts';
import type { Maybe } from './validation/rules.ts';

type Expression = NonNullable<NonNullable<LabelSelectorLike['matchExpressions']>>[number];

const operators: Readonly<Record<string, Operator>> = { In: 'in', NotIn: 'notin', DoesNotExist: '!' };

/** A selector that validation has accepted; a missing or empty one selects everything. A step for each requirement. */
export function* selectorSteps(selector: Maybe<LabelSelectorLike>): Generator<void, LabelSelector, void> {
  const joined = new JoinedRequirements();
  for (const requirement of requirementsOf(selector)) {
    joined.add(requirement);
    yield;
  }
  const { keys } = joined;
  return { empty: keys.length === 0, keys, matches: joined.matcher() };
}

function* requirementsOf(selector: Maybe<LabelSelectorLike>): Generator<Requirement, void, void> {
  const { matchLabels, matchExpressions } = selector ?? {};
  for (const key in matchLabels)
    if (Object.hasOwn(matchLabels, key)) yield { key, operator: '=', values: [matchLabels[key] ?? ''] };
  for (const expression of matchExpressions ?? []) yield requirementOf(expression);
}

function requirementOf({ key, operator, values }: Expression): Requirement {
  return { key: key ?? '', operator: operators[operator ?? ''] ?? 'exists', values: values ?? [] };
}
