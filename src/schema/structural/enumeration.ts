/** The values that `enum` allows; there may be thousands, for thousands of items. */
import type { JsonArray, JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';
import type { StepBudget } from './step-budget.ts';

/** Fewer are compared one by one. */
const fewValues = 16;

const texts = new WeakMap<JsonArray, ReadonlySet<JsonValue>>();

/** Whether a value is one of those that are allowed. @throws StepsExceeded */
export function isAmong(allowed: JsonArray, value: JsonValue, budget: StepBudget): boolean {
  if (typeof value === 'string' && allowed.length > fewValues) return textsIn(allowed).has(value);
  budget.spend(allowed.length / 4);
  return allowed.some((candidate) => deepEqual(candidate, value));
}

/** The schema lives as long as its resource; so does the set. */
function textsIn(allowed: JsonArray): ReadonlySet<JsonValue> {
  let known = texts.get(allowed);
  if (known === undefined) texts.set(allowed, (known = new Set(allowed)));
  return known;
}

/** An allowed value as messages list it. */
export function wordOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
