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

/** Puts requirements together; nothing is added any more once they are held against labels. */
export class JoinedRequirements {
  readonly #rules = new Map<string, KeyRule>();

  add(requirement: Requirement): void {
    const known = this.#rules.get(requirement.key);
    const rule = known ?? new KeyRule();
    if (!known) this.#rules.set(requirement.key, rule);
    rule.add(requirement);
  }

  /** The labels that make a difference, each once. */
  get keys(): readonly string[] {
    return [...this.#rules.keys()];
  }

  /** Gives what says whether labels meet all requirements. */
  matcher(): (labels: Labels | undefined) => boolean {
    const rules = this.#rules;
    if (rules.size <= fewKeys) return (labels = none) => holdEach(rules, labels);
    let needed = 0;
    for (const { isNeeded } of rules.values()) if (isNeeded) needed += 1;
    return (labels = none) => hold(rules, needed, labels);
  }
}

/** Numbers of labels that are very many: to go through 30,000 takes some milliseconds, and a thousand watches may ask. */
const counted = new WeakMap<Labels, number>();
const mostUncounted = 1_000;

/** Goes through the rules or the labels, of which there are fewer. */
function hold(rules: ReadonlyMap<string, KeyRule>, needed: number, labels: Labels): boolean {
  if ((counted.get(labels) ?? 0) > rules.size) return holdEach(rules, labels);
  const keys = Object.keys(labels);
  if (keys.length > mostUncounted) counted.set(labels, keys.length);
  return keys.length > rules.size ? holdEach(rules, labels) : holdForOwn(rules, needed, { labels, keys });
}

function holdEach(rules: ReadonlyMap<string, KeyRule>, labels: Labels): boolean {
  for (const [key, rule] of rules) if (!rule.accepts(labelOf(labels, key))) return false;
  return true;
}

/** A label that is missing can only break a rule that needs one: these are counted. */
function holdForOwn(
  rules: ReadonlyMap<string, KeyRule>,
  needed: number,
  { labels, keys }: { readonly labels: Labels; readonly keys: readonly string[] },
): boolean {
  let met = 0;
  for (const key of keys) {
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
  #excluded: Set<string> | undefined;
  #above: number | undefined;
  #below: number | undefined;

  add({ operator, values }: Requirement): void {
    const isNegative = operator === '!' || operator === '!=' || operator === 'notin';
    this.isNeeded ||= !isNegative;
    this.#isUnwanted ||= operator === '!';
    if (operator === '=' || operator === 'in') this.#allow(values);
    if (operator === '!=' || operator === 'notin') this.#exclude(values);
    const bound = Number(values[0]);
    if (operator === '>') this.#above = Math.max(bound, this.#above ?? bound);
    if (operator === '<') this.#below = Math.min(bound, this.#below ?? bound);
  }

  /** @param value undefined: there is no such label */
  accepts(value: string | undefined): boolean {
    if (value === undefined) return !this.isNeeded;
    if (this.#isUnwanted || this.#excluded?.has(value) === true) return false;
    return (this.#allowed?.has(value) ?? true) && this.#isWithin(value);
  }

  #allow(values: readonly string[]): void {
    const before = this.#allowed;
    this.#allowed = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
  }

  #exclude(values: readonly string[]): void {
    this.#excluded ??= new Set();
    for (const value of values) this.#excluded.add(value);
  }

  #isWithin(value: string): boolean {
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = Number(value);
    return integer.test(value) && number > (this.#above ?? -Infinity) && number < (this.#below ?? Infinity);
  }
}
