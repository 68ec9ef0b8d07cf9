/**
 * What is written for a field that holds nothing. The API's JSON keeps some empty values (structs that are not
 * optional, fields that are always written) and leaves others out; objects are stored in that one form.
 */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject, setOwn } from '../base/json.ts';
import type { Field, Schema, StructSchema } from './types.ts';

/**
 * Puts an object into the form that is stored: adds the zero values that are always written (`status: {}`,
 * `creationTimestamp: null`), removes empty values that never are. Mutates the object; idempotent. Objects that it
 * has in common with `other`, in the same places, are in that form already.
 */
export function fillZeroValues(schema: StructSchema, object: JsonObject, other?: JsonObject): void {
  const plan = planOf(schema);
  for (const name of Object.keys(object)) {
    const part = plan.parts.get(name);
    const value = object[name];
    if (part === undefined || value === undefined) continue;
    if (part.isLeftOut(value)) Reflect.deleteProperty(object, name);
    else if (part.below !== undefined) fillValue(part.below, value, other && getOwn(other, name));
  }
  for (const field of plan.alwaysWritten) {
    if (getOwn(object, field.name) === undefined) addZero(object, field);
  }
}

function addZero(object: JsonObject, field: Field): void {
  setOwn(object, field.name, field.pointer ? null : writtenZero(field.schema));
}

/** What is done about a field that is there. */
interface Part {
  readonly isLeftOut: (value: JsonValue) => boolean;
  /** The schema of a value that may hold structs; undefined: there is nothing to do below. */
  readonly below: Schema | undefined;
}

/** Worked out once: what each field is would else be asked again for every field of every object. */
interface Plan {
  readonly parts: ReadonlyMap<string, Part>;
  /** Objects have few of a type's fields, and few of those are always written. */
  readonly alwaysWritten: readonly Field[];
}

const plans = new WeakMap<StructSchema['fields'], Plan>();

function planOf({ fields }: StructSchema): Plan {
  let plan = plans.get(fields);
  if (plan === undefined) {
    const parts = new Map([...fields].map(([name, field]) => [name, partOf(field)]));
    plan = { parts, alwaysWritten: [...fields.values()].filter(isAlwaysWritten) };
    plans.set(fields, plan);
  }
  return plan;
}

function partOf(field: Field): Part {
  return { isLeftOut: leftOutRule(field), below: holdsStructs(field.schema) ? field.schema : undefined };
}

/** Values that are a struct inside cannot be left out, unless their absence is told apart from zero. */
function isAlwaysWritten({ schema, omitEmpty, pointer }: Field): boolean {
  if (!omitEmpty) return true;
  if (pointer) return false;
  if (schema.type === 'struct' || schema.type === 'any') return true;
  return schema.type === 'string' && isStructInside(schema.format);
}

function isStructInside(format: string): boolean {
  return ['date-time', 'micro-time', 'quantity', 'int-or-string'].includes(format);
}

function leftOutRule(field: Field): Part['isLeftOut'] {
  if (!field.omitEmpty) return never;
  if (field.pointer) return field.nullable === true ? never : isNull;
  return isAlwaysWritten(field) ? never : isZero;
}

function never(): boolean {
  return false;
}

function isNull(value: JsonValue): boolean {
  return value === null;
}

function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function fillValue(schema: Schema, value: JsonValue, other: JsonValue | undefined): void {
  if (value === other) return;
  if (schema.type === 'struct') {
    if (isObject(value)) fillZeroValues(schema, value, isObject(other) ? other : undefined);
  } else if (schema.type === 'list') {
    if (Array.isArray(value)) fillItems(schema.items, value, other);
  } else if (schema.type === 'map' && isObject(value)) {
    fillValues(schema.values, value, isObject(other) ? other : {});
  }
}

function fillValues(schema: Schema, map: JsonObject, others: JsonObject): void {
  for (const key of Object.keys(map)) fillValue(schema, map[key] ?? null, getOwn(others, key));
}

function fillItems(schema: Schema, list: JsonArray, other: JsonValue | undefined): void {
  const others = Array.isArray(other) ? other : [];
  for (let i = 0; i < list.length; i += 1) fillValue(schema, list[i] ?? null, others[i]);
}

/** Lists and maps of scalars have nothing below them that could be filled in. */
function holdsStructs(schema: Schema): boolean {
  if (schema.type === 'list') return mayHoldStructs(schema.items);
  if (schema.type === 'map') return mayHoldStructs(schema.values);
  return schema.type === 'struct';
}

/** Not looked into any deeper: types may hold themselves. */
function mayHoldStructs({ type }: Schema): boolean {
  return type === 'struct' || type === 'list' || type === 'map';
}

/** The zero value as it is written: lists, maps, times and free values that hold nothing are null. */
function writtenZero(schema: Schema): JsonValue {
  switch (schema.type) {
    case 'struct': {
      const zero: JsonObject = {};
      fillZeroValues(schema, zero);
      return zero;
    }
    case 'map':
    case 'list':
    case 'any':
      return null;
    case 'string':
      return isTime(schema.format) ? null : zeroValue(schema);
    case 'integer':
    case 'number':
    case 'boolean':
      return zeroValue(schema);
  }
}

function isTime(format: string): boolean {
  return format === 'date-time' || format === 'micro-time';
}

/** What a null stands for where it cannot be left out: as an element of a list or a value of a map. */
export function zeroValue(schema: Schema): JsonValue {
  switch (schema.type) {
    case 'struct':
    case 'map':
      return {};
    case 'list':
      return [];
    case 'any':
      return null;
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    case 'string':
      return zeroString(schema.format);
  }
}

function zeroString(format: string): JsonValue {
  if (format === 'quantity') return '0';
  if (format === 'int-or-string') return 0;
  return isTime(format) ? '0001-01-01T00:00:00Z' : '';
}
