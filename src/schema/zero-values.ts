/**
 * What is written for a field that holds nothing. The API's JSON keeps some empty values (structs that are not
 * optional, fields that are always written) and leaves others out; objects are stored in that one form.
 */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { getOwn, isObject, setOwn } from '../base/json.ts';
import { LazyMap } from '../base/lazy-map.ts';
import type { Field, Schema, StructSchema } from './types.ts';

/**
 * Puts an object into the form that is stored: adds the zero values that are always written (`status: {}`,
 * `creationTimestamp: null`), removes empty values that never are, and puts members into the order of their type, of which
 * defaults know nothing. Mutates the object; idempotent. Objects that it has in common with `other`, in the same places,
 * are in that form already.
 */
export function fillZeroValues(schema: StructSchema, object: JsonObject, other?: JsonObject): void {
  const ordered = filled(schema, object, other);
  if (ordered === object) return;
  for (const name of Object.keys(ordered)) Reflect.deleteProperty(object, name);
  for (const name of Object.keys(ordered)) setOwn(object, name, ordered[name] as JsonValue);
}

/** The object itself if its members are in order, else a copy. */
function filled(schema: StructSchema, object: JsonObject, other: JsonObject | undefined): JsonObject {
  const plan = planOf(schema);
  let last = -1;
  let isInOrder = true;
  for (const name of Object.keys(object)) {
    const part = plan.parts.get(name);
    const value = object[name];
    if (value === undefined) continue;
    if (part?.isLeftOut(value) === true) {
      Reflect.deleteProperty(object, name);
      continue;
    }
    const position = part?.position ?? plan.parts.size;
    isInOrder &&= position >= last;
    last = position;
    if (part?.below !== undefined) fillMember(part.below, object, name, other && getOwn(other, name));
  }
  for (const { field, position } of plan.alwaysWritten) {
    if (getOwn(object, field.name) !== undefined) continue;
    addZero(object, field);
    isInOrder &&= position >= last;
    last = position;
  }
  return isInOrder ? object : inOrder(plan, object);
}

function inOrder({ parts }: Plan, object: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const name of parts.keys()) {
    const value = getOwn(object, name);
    if (value !== undefined) setOwn(ordered, name, value);
  }
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined && !parts.has(name)) setOwn(ordered, name, value);
  }
  return ordered;
}

/** Fills what a member holds. */
function fillMember(below: Schema, object: JsonObject, name: string, other: JsonValue | undefined): void {
  const value = object[name] as JsonValue;
  const form = filledValue(below, value, other);
  if (form !== value) setOwn(object, name, form);
}

function addZero(object: JsonObject, field: Field): void {
  setOwn(object, field.name, field.pointer ? null : writtenZero(field.schema));
}

/** What is done about a field that is there. */
interface Part {
  /** In the order of the type. */
  readonly position: number;
  readonly isLeftOut: (value: JsonValue) => boolean;
  /** The schema of a value that may hold structs; undefined: there is nothing to do below. */
  readonly below: Schema | undefined;
}

/** Worked out once: what each field is would else be asked again for every field of every object. */
interface Plan {
  readonly parts: ReadonlyMap<string, Part>;
  /** Objects have few of a type's fields, and few of those are always written. */
  readonly alwaysWritten: readonly { readonly field: Field; readonly position: number }[];
}

const plans = new WeakMap<StructSchema['fields'], Plan>();

function planOf({ fields, isPlain }: StructSchema): Plan {
  let plan = plans.get(fields);
  if (plan === undefined && isPlain)
    plans.set(fields, (plan = { parts: plainParts(fields), alwaysWritten: [] }));
  if (plan === undefined) {
    const all = [...fields].map(([name, field], position) => ({ name, field, position }));
    const parts = new Map(all.map(({ name, field, position }) => [name, partOf(field, position)]));
    plan = { parts, alwaysWritten: all.filter(({ field }) => isAlwaysWritten(field)) };
    plans.set(fields, plan);
  }
  return plan;
}

/** Of a struct of a custom resource, which may have fifteen thousand fields: each is read when an object has it. */
function plainParts(fields: StructSchema['fields']): ReadonlyMap<string, Part> {
  const positions = new Map([...fields.keys()].map((name, position) => [name, position]));
  return new LazyMap(positions, (name) => {
    const schema = fields.get(name)?.schema;
    const below = schema && holdsStructs(schema) ? schema : undefined;
    return { position: positions.get(name) ?? 0, isLeftOut: never, below };
  });
}

function partOf(field: Field, position: number): Part {
  return {
    position,
    isLeftOut: leftOutRule(field),
    below: holdsStructs(field.schema) ? field.schema : undefined,
  };
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

/** A value in the form that is stored; itself where its members are in order. */
function filledValue(schema: Schema, value: JsonValue, other: JsonValue | undefined): JsonValue {
  if (value === other) return value;
  if (schema.type === 'struct') {
    if (isObject(value)) return filled(schema, value, isObject(other) ? other : undefined);
  } else if (schema.type === 'list') {
    if (Array.isArray(value)) fillItems(schema.items, value, other);
  } else if (schema.type === 'map' && isObject(value)) {
    fillValues(schema.values, value, isObject(other) ? other : {});
  }
  return value;
}

function fillValues(schema: Schema, map: JsonObject, others: JsonObject): void {
  for (const key of Object.keys(map)) {
    if (map[key] !== undefined) fillMember(schema, map, key, getOwn(others, key));
  }
}

function fillItems(schema: Schema, list: JsonArray, other: JsonValue | undefined): void {
  const others = Array.isArray(other) ? other : [];
  for (let i = 0; i < list.length; i += 1) {
    const value = list[i] ?? null;
    const form = filledValue(schema, value, others[i]);
    if (form !== value) list[i] = form;
  }
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
