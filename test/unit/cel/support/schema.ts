/** Rules of schemas: definitions and objects as JSON. */
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { ruleTreeErrors } from '../../../../src/cel/schema/definition-errors.ts';
import { readRules, type RuleNode } from '../../../../src/cel/schema/rule-tree.ts';
import {
  validateRules,
  type OnUnchanged,
  type RuleLimits,
} from '../../../../src/cel/schema/validate-rules.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { readStructural } from '../../../../src/schema/structural/types.ts';

const prefix = 'x-orch-';
const whole = FieldPath.of('');

export function treeOf(schema: JsonObject, minor = 36, known?: ReadonlySet<string>): RuleNode | undefined {
  return readRules(readStructural(schema, prefix), whole, { prefix, minor, ...(known && { known }) });
}

/** Errors of a definition, as `field: message`. */
export function definitionErrors(schema: JsonObject, minor = 36, known?: ReadonlySet<string>): string[] {
  const tree = treeOf(schema, minor, known);
  return tree ? ruleTreeErrors(tree, whole, prefix).map(({ field, message }) => `${field}: ${message}`) : [];
}

/** Errors of an object, as `field: message`. */
export function objectErrors(
  schema: JsonObject,
  value: JsonValue,
  { before, limits, warnings }: { before?: JsonValue; limits?: RuleLimits; warnings?: string[] } = {},
): string[] {
  const tree = treeOf(schema);
  if (!tree) throw new Error('a schema without rules');
  const onUnchanged: OnUnchanged | undefined =
    warnings && (({ field, message }) => warnings.push(`${field}: ${message}`));
  const errors = validateRules(tree, value, {
    ...{ path: whole, before, onUnchanged },
    ...(limits && { limits }),
  });
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export function ruled(schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, [`${prefix}validations`]: list };
}

export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}
