/** Validation rules as a schema writes them (extension `validations`). */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject, textOf } from '../../base/json.ts';
import { atOnce } from '../../base/sliced-work.ts';

export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** Name of the extension without its prefix. */
export const validationsKey = 'validations';

/** The rules of one schema node; what is no rule counts as one without text. */
export function rulesOf(raw: JsonObject, prefix: string): Rule[] {
  const list = getOwn(raw, prefix + validationsKey);
  return Array.isArray(list) ? list.map(readRule) : [];
}

function readRule(value: JsonValue): Rule {
  const raw = isObject(value) ? value : {};
  const text = (name: string): string => textOf(getOwn(raw, name));
  const optionalOldSelf = getOwn(raw, 'optionalOldSelf');
  return {
    rule: text('rule'),
    message: text('message'),
    messageExpression: text('messageExpression'),
    reason: text('reason'),
    fieldPath: text('fieldPath'),
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** Characters that the expressions of one definition may have together: the largest known has 20,000, these take 0.1 s. */
export const maxRuleText = 50_000;

/** The expressions of a schema, and of all schemas below. */
export function* expressionsIn(value: JsonValue | undefined, prefix: string): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* expressionsIn(item, prefix);
  if (!isObject(value)) return;
  for (const { rule, messageExpression } of rulesOf(value, prefix)) yield* [rule, messageExpression];
  for (const member of Object.values(value)) yield* expressionsIn(member, prefix);
}

/** One after the other: to read the values of tens of thousands takes as long as `Object.keys`. */
function* membersOf(object: JsonObject): Generator<JsonValue | undefined, undefined> {
  for (const name of Object.keys(object)) yield object[name];
}

/** What messages call a rule. */
export function ruleText({ message, rule }: Rule): string {
  return (message === '' ? rule : message).trim();
}

/** Rules of more characters together take over some milliseconds to compile. */
export const shortRuleText = 500;

/** Characters of all expressions of a schema. */
export function ruleTextIn(schema: JsonValue | undefined, prefix: string): number {
  return atOnce(ruleTextInSteps(schema, prefix));
}

/**
 * The same in steps, one for each object and list. What is begun is in a list: with generators within each other a
 * step would take as many calls as the schema has levels there.
 */
export function* ruleTextInSteps(
  schema: JsonValue | undefined,
  prefix: string,
): Generator<void, number, void> {
  let length = 0;
  const begun: Iterator<JsonValue | undefined>[] = [[schema].values()];
  for (let members = begun.at(-1); members; members = begun.at(-1)) {
    const { done, value } = members.next() as IteratorResult<JsonValue | undefined, undefined>;
    if (done === true) begun.pop();
    if (typeof value !== 'object' || value === null) continue;
    yield;
    if (Array.isArray(value)) begun.push(value.values());
    if (!isObject(value)) continue;
    length += lengthOfRules(value, prefix);
    begun.push(membersOf(value));
  }
  return length;
}

/** One without text counts, too: it is wrong. */
function lengthOfRules(raw: JsonObject, prefix: string): number {
  const lengths = rulesOf(raw, prefix).map(
    ({ rule, messageExpression }) => rule.length + messageExpression.length,
  );
  return lengths.reduce((sum, length) => sum + Math.max(1, length), 0);
}
