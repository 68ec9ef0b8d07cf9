/**
 * Requirements on labels, put together by key. A URL has room for thousands of them, and each object of a list and each
 * event of a watch is held against all: one after the other, 5,000 took 8 s for 50,000 objects. Of many keys only those
 * are looked at that an object has.
 */
export type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** So many keys are looked up in the labels sooner than the labels are gone through. */
const fewKeys = 8;
const integer = /^-?[0-9]{1,15}$/;
const none: Labels = {};

/** A label's value; undefined: it is not there. */
export function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** Gives what says whether labels meet all requirements. */
export function allHold(requirements: readonly Requirement[]): (labels: Labels | undefined) => boolean {
  const rules = new Map<string, KeyRule>();
  for (const requirement of requirements) ruleFor(rules, requirement.key).add(requirement);
  const entries = [...rules];
  if (entries.length <= fewKeys)
    return (labels) => entries.every(([key, rule]) => rule.accepts(labelOf(labels, key)));
  const needed = entries.filter(([, rule]) => rule.isNeeded).length;
  return (labels = none) => holdForOwn(rules, needed, labels);
}

function ruleFor(rules: Map<string, KeyRule>, key: string): KeyRule {
  const rule = rules.get(key) ?? new KeyRule();
  rules.set(key, rule);
  return rule;
}

/** A label that is missing can only break a rule that needs one: these are counted. */
function holdForOwn(rules: ReadonlyMap<string, KeyRule>, needed: number, labels: Labels): boolean {
  let met = 0;
  for (const key of Object.keys(labels)) {
    const rule = rules.get(key);
    if (rule === undefined) continue;
    if (!rule.accepts(labels[key])) return false;
    if (rule.isNeeded) met += 1;
  }
  return met === needed;
}

/** All that is required of one key. */
class KeyRule {
  /** The label must be there. */
  isNeeded = false;
  #isUnwanted = false;
  #allowed: ReadonlySet<string> | undefined;
  readonly #excluded = new Set<string>();
  #above: number | undefined;
  #below: number | undefined;

  add({ operator, values }: Requirement): void {
    const isNegative = operator === '!' || operator === '!=' || operator === 'notin';
    this.isNeeded ||= !isNegative;
    this.#isUnwanted ||= operator === '!';
    if (operator === '=' || operator === 'in') this.#allow(values);
    if (operator === '!=' || operator === 'notin') for (const value of values) this.#excluded.add(value);
    const bound = Number(values[0]);
    if (operator === '>') this.#above = Math.max(bound, this.#above ?? bound);
    if (operator === '<') this.#below = Math.min(bound, this.#below ?? bound);
  }

  /** @param value undefined: there is no such label */
  accepts(value: string | undefined): boolean {
    if (value === undefined) return !this.isNeeded;
    if (this.#isUnwanted || this.#excluded.has(value)) return false;
    return (this.#allowed?.has(value) ?? true) && this.#isWithin(value);
  }

  #allow(values: readonly string[]): void {
    const before = this.#allowed;
    this.#allowed = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
  }

  #isWithin(value: string): boolean {
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = Number(value);
    return integer.test(value) && number > (this.#above ?? -Infinity) && number < (this.#below ?? Infinity);
  }
}
