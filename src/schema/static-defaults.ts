/**
 * Static defaults of the catalogue. For a field whose absence is not told apart from zero, zero counts as absent.
 * Conditions (src/api/README.md): `name = A | B` (a sibling's value), `empty` (an empty list counts as absent), `gate
 * X` (enabled by default), `alpha X` (disabled by default).
 */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { deepCopy, getOwn, isObject, setOwn } from '../base/json.ts';
import { holdsField } from './holds-field.ts';
import type { Field, Schema, StructSchema } from './types.ts';

/** Whether a feature gate is on; absent: its state in this release. */
export type GateCheck = (gate: string) => boolean;

/** What defaulting does to a struct, worked out once: its own defaults, then the members that hold defaults. */
interface DefaultPlan {
  readonly own: readonly Field[];
  readonly nested: readonly Field[];
}

const plans = new WeakMap<ReadonlyMap<string, Field>, DefaultPlan>();

/** Sets every static default that applies, all the way down. Mutates the object. */
export function applyStaticDefaults(
  schema: StructSchema,
  object: JsonObject,
  isFeatureEnabled?: GateCheck,
): void {
  const plan = planOf(schema);
  for (const field of plan.own) applyDefault(field, object, isFeatureEnabled);
  for (const field of plan.nested) descend(field, object, isFeatureEnabled);
}

function applyDefault(field: Field, object: JsonObject, gates: GateCheck | undefined): void {
  const value = getOwn(object, field.name);
  if (!isAbsent(field, value)) return;
  if (!conditionHolds(field.defaultCondition, object, gates)) return;
  const chosen = defaultOf(field, object);
  if (chosen !== undefined) setOwn(object, field.name, deepCopy(chosen));
}

function isAbsent(field: Field, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0 && field.defaultCondition.startsWith('empty');
  return !field.pointer && (value === '' || value === 0);
}

/** `=name` takes the sibling's value, if it has one. */
function defaultOf(field: Field, object: JsonObject): JsonValue | undefined {
  const { defaultValue } = field;
  if (typeof defaultValue !== 'string' || !defaultValue.startsWith('=')) return defaultValue;
  return getOwn(object, defaultValue.slice(1)) ?? undefined;
}

function conditionHolds(condition: string, object: JsonObject, gates: GateCheck | undefined): boolean {
  return condition === '' || condition.split('; ').every((term) => termHolds(term, object, gates));
}

function termHolds(term: string, object: JsonObject, gates: GateCheck | undefined): boolean {
  if (term === 'empty') return true;
  if (term.startsWith('gate ')) return gates?.(term.slice(5)) ?? true;
  if (term.startsWith('alpha ')) return gates?.(term.slice(6)) ?? false;
  const [name = '', values = ''] = term.split(' = ');
  const sibling = getOwn(object, name);
  return typeof sibling === 'string' && values.split(' | ').includes(sibling);
}

/** A struct that is always there in the API's terms has its defaults set even when it was not sent. */
function descend(field: Field, object: JsonObject, gates: GateCheck | undefined): void {
  const value = getOwn(object, field.name);
  if (value !== undefined && value !== null) {
    descendInto(field.schema, value, gates);
    return;
  }
  if (field.schema.type !== 'struct' || field.pointer) return;
  const fresh: JsonObject = {};
  applyStaticDefaults(field.schema, fresh, gates);
  if (Object.keys(fresh).length > 0) setOwn(object, field.name, fresh);
}

function descendInto(schema: Schema, value: JsonValue, gates: GateCheck | undefined): void {
  if (schema.type === 'struct') {
    if (isObject(value)) applyStaticDefaults(schema, value, gates);
  } else if (schema.type === 'list') {
    if (Array.isArray(value)) for (const item of value) descendInto(schema.items, item, gates);
  } else if (schema.type === 'map' && isObject(value)) {
    for (const member of Object.values(value)) descendInto(schema.values, member ?? null, gates);
  }
}

function planOf(schema: StructSchema): DefaultPlan {
  let plan = plans.get(schema.fields);
  if (!plan) {
    const fields = [...schema.fields.values()];
    plan = {
      own: [...fields.filter(isUnconditional), ...fields.filter(isConditional)],
      nested: fields.filter((field) => holdsField(field.schema, hasDefault)),
    };
    plans.set(schema.fields, plan);
  }
  return plan;
}

function hasDefault({ defaultValue }: Field): boolean {
  return defaultValue !== undefined;
}

function isUnconditional(field: Field): boolean {
  return hasDefault(field) && field.defaultCondition === '';
}

function isConditional(field: Field): boolean {
  return hasDefault(field) && field.defaultCondition !== '';
}
