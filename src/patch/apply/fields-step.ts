/** Nodes of field sets in JSON form (`fieldsV1`), put together from the steps below them. */
import type { JsonObject } from '../../base/json.ts';
import type { PathElement } from './path-element.ts';

/** Says of a node that its path is a member of the set, where more is below it. */
export const self = '.';

/** A step with what is below it. */
export interface FieldsStep {
  readonly element: PathElement;
  /** Its place among the fields of a struct; -1: ordered by the text alone. */
  readonly rank: number;
  readonly node: JsonObject;
}

/** The node with these steps, which it sorts; `isMember`: its own path is in the set, too. */
export function fieldsNode(steps: FieldsStep[], isMember: boolean): JsonObject {
  const node: JsonObject = {};
  if (isMember && steps.length > 0) node[self] = {};
  // No step is called `__proto__`: each begins with its kind.
  for (const step of sorted(steps)) node[step.element] = step.node;
  return node;
}

/** Up to so many are sorted by insertion: fields of a struct are few, and in order by their places. */
const fewSteps = 16;

/** Sorts in place. No step is a place in a list, so the order is that of the texts. */
function sorted(steps: FieldsStep[]): FieldsStep[] {
  if (steps.length > fewSteps) return steps.sort(compareSteps);
  for (let i = 1; i < steps.length; i += 1) insert(steps, i);
  return steps;
}

/** Moves a step to its place among those before it, which are in order. */
function insert(steps: FieldsStep[], from: number): void {
  const step = steps[from];
  if (step === undefined) return;
  let at = from;
  for (; at > 0; at -= 1) {
    const before = steps[at - 1];
    if (before === undefined || compareSteps(before, step) < 0) break;
    steps[at] = before;
  }
  if (at < from) steps[at] = step;
}

/** Steps of one node differ. */
function compareSteps(a: FieldsStep, b: FieldsStep): number {
  if (a.rank >= 0 && b.rank >= 0) return a.rank - b.rank;
  return a.element < b.element ? -1 : 1;
}
