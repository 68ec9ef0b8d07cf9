/** Label selectors of objects applied to labels. */
import type { LabelSelectorLike } from './validate-label-selector.ts';
import type { Maybe } from './rules.ts';
import { own } from './rules.ts';

type Labels = Readonly<Record<string, string>>;

/** A function that returns whether labels match; undefined for an operator that does not exist. */
export function parseObjectSelector(
  selector: Maybe<LabelSelectorLike>,
): ((labels: Labels) => boolean) | undefined {
  const expressions = selector?.matchExpressions ?? [];
  if (!expressions.every(({ operator }) => operators.has(operator ?? ''))) return undefined;
  return (labels) =>
    Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => own(labels, key) === value) &&
    expressions.every(({ key, operator, values }) =>
      operators.get(operator ?? '')?.(own(labels, key ?? ''), values ?? []),
    );
}

type Operator = (value: string | undefined, values: readonly string[]) => boolean;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['In', (value, values) => value !== undefined && values.includes(value)],
  ['NotIn', (value, values) => value === undefined || !values.includes(value)],
  ['Exists', (value) => value !== undefined],
  ['DoesNotExist', (value) => value === undefined],
]);
