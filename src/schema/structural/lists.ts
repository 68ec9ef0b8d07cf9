/** Lists that are sets or maps hold no value or key twice: apply could not distinguish such items. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, maxFieldErrors } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { StepBudget, StepsExceeded } from './step-budget.ts';
import type { Structural } from './types.ts';
import { memberOf } from './types.ts';

/** So many are copied and compared in the time of a visit. */
const charactersPerStep = 256;

/**
 * Errors in sets and maps, all the way down, until enough are found. Sets may hold sets, and maps may have hundreds of
 * keys: what takes more steps than the budget has is rejected.
 */
export function validateLists(
  node: Structural,
  value: JsonValue,
  path: FieldPath,
  budget = new StepBudget(),
): FieldError[] {
  const check = new ListCheck(budget);
  try {
    check.lists(node, value, path);
    return check.errors;
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error;
    return [...check.errors.slice(0, maxFieldErrors - 1), forbidden(path, error.message)];
  }
}

class ListCheck {
  readonly errors: FieldError[] = [];
  private readonly budget: StepBudget;
  private readonly spend = (): void => {
    this.budget.spend(1);
  };

  constructor(budget: StepBudget) {
    this.budget = budget;
  }

  lists(node: Structural, value: JsonValue, path: FieldPath): void {
    if (this.errors.length >= maxFieldErrors) return;
    if (isObject(value)) this.members(node, value, path);
    if (!Array.isArray(value)) return;
    if (node.listType !== 'atomic') this.repetition(node, value, path);
    const { items } = node;
    if (items && holdsLists(items)) value.forEach((item, i) => this.lists(items, item, path.index(i)));
  }

  private members(node: Structural, object: JsonObject, path: FieldPath): void {
    for (const key of Object.keys(object)) {
      const schema = memberOf(node, key);
      const member = object[key];
      if (schema && member !== undefined) this.lists(schema, member, path.child(key));
    }
  }

  private repetition(node: Structural, list: JsonArray, path: FieldPath): void {
    const seen = new Set<string>();
    for (let i = 0; i < list.length && this.errors.length < maxFieldErrors; i += 1) {
      const item = list[i] ?? null;
      const key = node.listType === 'set' ? item : keyOf(node, item);
      const text = canonicalJson(key, this.spend);
      this.budget.spend(text.length / charactersPerStep);
      if (seen.has(text)) this.errors.push(duplicate(path.index(i), key));
      else seen.add(text);
    }
  }
}

function holdsLists({ type }: Structural): boolean {
  return type === undefined || type === 'array' || type === 'object';
}

function keyOf({ listMapKeys }: Structural, item: JsonValue): JsonObject {
  const keys: JsonObject = {};
  if (isObject(item)) for (const name of listMapKeys) keys[name] = getOwn(item, name) ?? null;
  return keys;
}
