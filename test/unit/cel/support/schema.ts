/** Rules of schemas: definitions and objects as JSON. */
import { useEventLoop } from '../../../../src/base/event-loop.ts';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { ruleTreeErrors } from '../../../../src/cel/schema/definition-errors.ts';
import { readRules, type RuleNode } from '../../../../src/cel/schema/rule-tree.ts';
import {
  validateRules,
  type OnUnchanged,
  type RuleLimits,
} from '../../../../src/cel/schema/validate-rules.ts';
import type { MaybePromise } from '../../../../src/base/maybe-promise.ts';
import type { FieldError } from '../../../../src/meta/field-error.ts';
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

interface ObjectOptions {
  readonly before?: JsonValue;
  readonly limits?: RuleLimits;
  readonly warnings?: string[];
}

/** Errors of an object that is judged at once, as `field: message`. No time passes but by a clock of the limits. */
export function objectErrors(schema: JsonObject, value: JsonValue, options: ObjectOptions = {}): string[] {
  const limits = { time: () => 0, ...options.limits };
  const errors = withoutTime(() => judged(schema, value, { ...options, limits }));
  if (errors instanceof Promise) throw new Error('the object is judged in slices');
  return texts(errors);
}

/** What is judged before in the same turn leaves it all its time. */
function withoutTime<T>(judge: () => T): T {
  useEventLoop({ now: () => 0, nextTurn: (callback) => void setImmediate(callback) });
  try {
    return judge();
  } finally {
    useEventLoop(undefined);
  }
}

/** Errors of an object whose rules take long. */
export async function slicedErrors(
  schema: JsonObject,
  value: JsonValue,
  options: ObjectOptions = {},
): Promise<string[]> {
  const errors = judged(schema, value, options);
  if (!(errors instanceof Promise)) throw new Error('the object is judged at once');
  return texts(await errors);
}

/** Errors of an object, at once or later. */
export function judged(
  schema: JsonObject,
  value: JsonValue,
  { before, limits, warnings }: ObjectOptions,
): MaybePromise<FieldError[]> {
  const tree = treeOf(schema);
  if (!tree) throw new Error('a schema without rules');
  const onUnchanged: OnUnchanged | undefined =
    warnings && (({ field, message }) => warnings.push(`${field}: ${message}`));
  return validateRules(tree, value, {
    ...{ path: whole, before, onUnchanged },
    ...(limits && { limits }),
  });
}

function texts(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export function ruled(schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, [`${prefix}validations`]: list };
}

export function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}
