/** Errors of the rules of a schema, found when it is defined: texts, types, and what they may cost. */
import { getOwn } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Structural } from '../../schema/structural/types.ts';
import type { Rule } from './rule.ts';
import { readRulePath } from './rule-path.ts';
import type { CompiledRule, RuleNode } from './rule-tree.ts';

/** Most that an expression may cost by its estimate, for all values that it may judge, as the reference limits it. */
export const maxRuleCost = 10_000_000;
/** Most for all expressions of one schema. */
export const maxSchemaCost = 100_000_000;

const reasons = ['FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired', 'FieldValueDuplicate'];

/** Errors in how a rule is written. */
function ruleErrors(rule: Rule, at: FieldPath, node: Structural): FieldError[] {
  return [
    ...textErrors(rule, at),
    ...(rule.messageExpression !== '' && rule.messageExpression.trim() === ''
      ? [required(at.child('messageExpression'), 'messageExpression must be non-empty if specified')]
      : []),
    ...(rule.reason !== '' && !reasons.includes(rule.reason)
      ? [notSupported(at.child('reason'), rule.reason, reasons)]
      : []),
    ...pathErrors(rule.fieldPath, at.child('fieldPath'), node),
  ];
}

function textErrors({ rule, message }: Rule, at: FieldPath): FieldError[] {
  const place = at.child('message');
  if (rule.trim() === '') return [required(at.child('rule'), 'rule is not specified')];
  if (message !== '' && message.trim() === '')
    return [invalid(place, message, 'must be non-empty if specified')];
  if (hasLines(message.trim())) return [invalid(place, message, 'must not contain line breaks')];
  return hasLines(rule.trim()) && message === ''
    ? [required(place, 'message must be specified if rule contains line breaks')]
    : [];
}

function hasLines(text: string): boolean {
  return /[\n\r]/.test(text);
}

function pathErrors(text: string, at: FieldPath, node: Structural): FieldError[] {
  if (text === '') return [];
  if (text.trim() === '') return [invalid(at, text, 'must be non-empty if specified')];
  if (hasLines(text)) return [invalid(at, text, 'must not contain line breaks')];
  return readRulePath(text, node) ? [] : [invalid(at, text, 'must be a valid path')];
}

/** Where a node stands: how often its rules may run, and whether an update has an old value for it. */
interface Standing {
  /** How many values there may be; undefined without a bound. */
  readonly count: number | undefined;
  /** The list whose items cannot be told apart. */
  readonly uncorrelated: FieldPath | undefined;
  readonly at: FieldPath;
}

/** Errors of the rules of a schema. @param at place of the schema */
export function ruleTreeErrors(tree: RuleNode, at: FieldPath, prefix: string): FieldError[] {
  const errors: FieldError[] = [];
  const costs: (readonly [FieldPath, number])[] = [];
  visit(tree, { count: 1, uncorrelated: undefined, at }, (node, standing) => {
    for (const rule of node.rules) {
      const problems = ruleErrors(rule.rule, rule.at, node.node);
      errors.push(...(problems.length > 0 ? problems : expressionErrors(rule, standing)));
      const runs = standing.count ?? mostRuns(node);
      costs.push([rule.at.child('rule'), times(rule.condition.maxCost, runs)]);
      if (rule.message) costs.push([rule.at.child('messageExpression'), rule.message.maxCost]);
    }
  });
  return [...errors, ...costErrors(costs, at, prefix)];
}

function visit(node: RuleNode, standing: Standing, each: (node: RuleNode, standing: Standing) => void): void {
  each(node, standing);
  const { count, uncorrelated, at } = standing;
  for (const [name, child] of node.properties)
    visit(child, { count, uncorrelated, at: at.child('properties').key(name) }, each);
  const inside = count === undefined ? undefined : boundOf(node, count);
  if (node.additional)
    visit(node.additional, { count: inside, uncorrelated, at: at.child('additionalProperties') }, each);
  if (!node.items) return;
  const isCorrelated = node.node.listType === 'map';
  visit(
    node.items,
    {
      count: inside,
      uncorrelated: isCorrelated ? uncorrelated : (uncorrelated ?? at),
      at: at.child('items'),
    },
    each,
  );
}

/** How many values a list or map may hold, for each of which there are so many. */
function boundOf({ node: { type, raw } }: RuleNode, count: number): number | undefined {
  const most = getOwn(raw, type === 'array' ? 'maxItems' : 'maxProperties');
  return typeof most === 'number' ? count * Math.max(0, most) : undefined;
}

/** As many values of the least size as the largest body has room for. */
function mostRuns({ declaration }: RuleNode): number {
  return Math.floor((3 * 1024 * 1024) / (declaration.leastBytes + 1));
}

function times(cost: number, runs: number): number {
  return cost === 0 || runs === 0 ? 0 : cost * runs;
}

function expressionErrors(
  { rule, at, condition, message, usesOldSelf }: CompiledRule,
  { uncorrelated }: Standing,
): FieldError[] {
  return [
    ...(condition.problem === undefined ? [] : [invalid(at.child('rule'), rule.rule, condition.problem)]),
    ...(message?.problem === undefined
      ? []
      : [
          invalid(
            at.child('messageExpression'),
            rule.messageExpression,
            `messageExpression ${message.problem}`,
          ),
        ]),
    ...(usesOldSelf && uncorrelated
      ? [
          invalid(
            at.child('rule'),
            rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated.toString()}`,
          ),
        ]
      : []),
    ...(condition.program && !usesOldSelf && rule.optionalOldSelf !== undefined
      ? [
          invalid(
            at.child('optionalOldSelf'),
            rule.optionalOldSelf,
            'may not be set if oldSelf is not used in rule',
          ),
        ]
      : []),
  ];
}

function costErrors(
  costs: readonly (readonly [FieldPath, number])[],
  at: FieldPath,
  prefix: string,
): FieldError[] {
  const total = costs.reduce((sum, [, cost]) => sum + cost, 0);
  const single = costs
    .filter(([, cost]) => cost > maxRuleCost)
    .map(([place, cost]) =>
      forbidden(place, costMessage(`estimated ${wordFor(place)} cost`, cost, maxRuleCost)),
    );
  if (total <= maxSchemaCost) return single;
  const dearest = costs
    .filter(([, cost]) => cost >= maxSchemaCost / 100)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([place]) =>
      forbidden(
        place,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      ),
    );
  const what = `${prefix}validations estimated rule cost total for entire OpenAPIv3 schema`;
  return [...single, ...dearest, forbidden(at, costMessage(what, total, maxSchemaCost))];
}

function wordFor(place: FieldPath): string {
  return place.toString().endsWith('messageExpression') ? 'messageExpression' : 'rule';
}

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text =
    factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
