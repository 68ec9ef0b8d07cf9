/** Two rules that the catalogue states for a field: its only values, and that it must be given. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject } from '../base/json.ts';
import type { FieldError } from '../meta/field-error.ts';
import { notSupported, required } from '../meta/field-error.ts';
import type { FieldPath } from '../meta/field-path.ts';
import type { Field, Schema, StructSchema } from './types.ts';

type FieldRule = (field: Field, value: JsonValue | undefined, path: FieldPath) => FieldError[];

/**
 * Faults of fields with a closed set of values, all the way down. Empty values are no fault here: whether a field
 * may be empty is a question of its own.
 */
export function checkEnums(schema: StructSchema, object: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, object, path, { errors, rule: enumFault, plans: enumPlans, needs: hasClosedValues });
  return errors;
}

/** Faults of required fields that are missing or empty, for kinds that have no rule of their own to say it. */
export function checkRequired(schema: StructSchema, object: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, object, path, { errors, rule: requiredFault, plans: requiredPlans, needs: isDemanded });
  return errors;
}

function hasClosedValues(field: Field): boolean {
  return field.enumClosed;
}

function isDemanded(field: Field): boolean {
  return field.required && field.schema.type === 'string' && field.schema.format === '';
}

function enumFault(field: Field, value: JsonValue | undefined, path: FieldPath): FieldError[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => enumFault(field, item, path.index(i)));
  }
  if (typeof value !== 'string' || value === '' || field.enumValues.includes(value)) return [];
  return [notSupported(path, value, [...field.enumValues].sort())];
}

function requiredFault(_field: Field, value: JsonValue | undefined, path: FieldPath): FieldError[] {
  return value === undefined || value === null || value === '' ? [required(path)] : [];
}

interface Walk {
  readonly errors: FieldError[];
  readonly rule: FieldRule;
  readonly plans: WeakMap<ReadonlyMap<string, Field>, Plan>;
  readonly needs: (field: Field) => boolean;
}

/** Which fields of a struct the rule concerns, and below which others it concerns some; worked out once. */
interface Plan {
  readonly own: readonly Field[];
  readonly nested: readonly Field[];
}

const enumPlans: Walk['plans'] = new WeakMap();
const requiredPlans: Walk['plans'] = new WeakMap();

function walk(schema: StructSchema, object: JsonObject, path: FieldPath, to: Walk): void {
  const plan = planOf(schema, to);
  for (const field of plan.own) {
    for (const fault of to.rule(field, getOwn(object, field.name), path.child(field.name)))
      to.errors.push(fault);
  }
  for (const field of plan.nested) {
    const value = getOwn(object, field.name);
    if (value !== undefined) visit(field.schema, value, path.child(field.name), to);
  }
}

function visit(schema: Schema, value: JsonValue, path: FieldPath, to: Walk): void {
  if (schema.type === 'struct') {
    if (isObject(value)) walk(schema, value, path, to);
  } else if (schema.type === 'list') {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i += 1) visit(schema.items, value[i] ?? null, path.index(i), to);
  } else if (schema.type === 'map' && isObject(value)) {
    for (const key of Object.keys(value)) visit(schema.values, value[key] ?? null, path.key(key), to);
  }
}

function planOf(schema: StructSchema, { plans, needs }: Walk): Plan {
  let plan = plans.get(schema.fields);
  if (!plan) {
    const fields = [...schema.fields.values()];
    plan = {
      own: fields.filter(needs),
      nested: fields.filter((field) => concerns(field.schema, needs, new Set())),
    };
    plans.set(schema.fields, plan);
  }
  return plan;
}

/** True when the rule concerns a struct somewhere below; `seen` ends cycles. */
function concerns(schema: Schema, needs: Walk['needs'], seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'list') return concerns(schema.items, needs, seen);
  if (schema.type === 'map') return concerns(schema.values, needs, seen);
  if (schema.type !== 'struct') return false;
  return [...schema.fields.values()].some((field) => needs(field) || concerns(field.schema, needs, seen));
}
