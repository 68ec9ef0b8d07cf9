/**
 * Structural decoding: from JSON as sent to an object that has the shape of its schema. Unknown fields are
 * dropped (and told), nulls are left out, scalars take their canonical form, keys the schema's order.
 */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { isObject, jsonTypeOf, setOwn } from '../base/json.ts';
import { quoted, shortPath, shortText } from '../base/short-text.ts';
import type { FieldPath } from '../meta/field-path.ts';
import { checkScalar } from './scalar.ts';
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from './types.ts';
import { zeroValue } from './zero-values.ts';

export interface StructureResult {
  /** A new object; members that did not fit are missing. Free values are shared with the input. */
  readonly value: JsonObject;
  /** Paths of fields that the schema does not know. */
  readonly unknown: readonly string[];
  /** What did not fit: `spec.replicas: expected int32 integer, got string "3"`. */
  readonly errors: readonly string[];
}

/** Structs nested deeper than this fit no type that is written by hand; recursion stops here. */
const maxDepth = 500;
const maxFaults = 100;
/** Most characters of a value that did not fit. */
const maxQuoted = 60;

/**
 * Checks a value against a struct and gives it in canonical form; never throws.
 * @param path where the value stands; '' for a whole object
 */
export function checkStructure(
  schema: StructSchema,
  value: JsonValue,
  path: FieldPath | string = '',
): StructureResult {
  const check = new StructureCheck(path.toString());
  const checked = check.struct(schema, value);
  return { value: checked ?? {}, unknown: check.unknown, errors: check.errors };
}

/** An array is walked without making anything; this runs over all fields of every struct that comes in. */
const orderedFields = new WeakMap<StructSchema['fields'], readonly Field[]>();

function fieldsInOrder({ fields }: StructSchema): readonly Field[] {
  let ordered = orderedFields.get(fields);
  if (ordered === undefined) {
    ordered = [...fields.values()];
    orderedFields.set(fields, ordered);
  }
  return ordered;
}

class StructureCheck {
  readonly unknown: string[] = [];
  readonly errors: string[] = [];
  /** The way to the current value; joined only when there is something to tell. */
  private readonly steps: (string | number)[] = [];
  private readonly base: string;
  private depth = 0;

  constructor(base: string) {
    this.base = base;
  }

  struct(schema: StructSchema, value: JsonValue): JsonObject | undefined {
    if (!isObject(value)) {
      this.mismatch('object', value);
      return undefined;
    }
    if (this.depth >= maxDepth) {
      this.fault(`nested deeper than ${String(maxDepth)} levels`);
      return undefined;
    }
    this.depth++;
    const result = this.members(schema, value);
    this.depth--;
    return result;
  }

  private members(schema: StructSchema, value: JsonObject): JsonObject {
    const result: JsonObject = {};
    let known = 0;
    for (const field of fieldsInOrder(schema)) {
      const { name } = field;
      const member = value[name];
      if (member === undefined || !Object.hasOwn(value, name)) continue;
      known++;
      if (member === null) continue;
      this.steps.push(name);
      const checked = this.value(field.schema, member);
      this.steps.pop();
      if (checked !== undefined) setOwn(result, name, checked);
    }
    if (Object.keys(value).length > known) this.strangers(schema, value, result);
    return result;
  }

  /** Fields that the schema does not name: kept where the schema says so, else dropped and told. */
  private strangers(schema: StructSchema, value: JsonObject, result: JsonObject): void {
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined || schema.fields.has(key)) continue;
      if (schema.preserveUnknown) setOwn(result, key, member);
      else if (this.unknown.length < maxFaults) this.unknown.push(this.pathOf(key));
    }
  }

  private value(schema: Schema, value: JsonValue): JsonValue | undefined {
    switch (schema.type) {
      case 'struct':
        return this.struct(schema, value);
      case 'map':
        return this.map(schema, value);
      case 'list':
        return this.list(schema, value);
      case 'any':
        return value;
      case 'string':
      case 'integer':
      case 'number':
      case 'boolean':
        return this.scalar(schema, value);
    }
  }

  private scalar(schema: ScalarSchema, value: JsonValue): JsonValue | undefined {
    if (typeof value === 'string' && schema.type === 'string' && schema.format === '') return value;
    const result = checkScalar(schema, value);
    if ('value' in result) return result.value;
    this.mismatch(result.expected, value);
    return undefined;
  }

  private list(schema: ListSchema, value: JsonValue): JsonArray | undefined {
    if (!Array.isArray(value)) {
      this.mismatch('array', value);
      return undefined;
    }
    const result: JsonArray = [];
    for (let i = 0; i < value.length; i++) {
      const item = value[i] ?? null;
      this.steps.push(i);
      const checked = this.value(schema.items, item === null ? zeroValue(schema.items) : item);
      this.steps.pop();
      if (checked !== undefined) result.push(checked);
    }
    return result;
  }

  private map(schema: MapSchema, value: JsonValue): JsonObject | undefined {
    if (!isObject(value)) {
      this.mismatch('object', value);
      return undefined;
    }
    const result: JsonObject = {};
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      this.steps.push(`[${key}]`);
      const checked = this.value(schema.values, member === null ? zeroValue(schema.values) : member);
      this.steps.pop();
      if (checked !== undefined) setOwn(result, key, checked);
    }
    return result;
  }

  private mismatch(expected: string, value: JsonValue): void {
    const got = neverQuoted.has(expected) ? jsonTypeOf(value) : describe(value);
    this.fault(`expected ${expected}, got ${got}`);
  }

  private fault(message: string): void {
    if (this.errors.length >= maxFaults) return;
    const path = this.pathOf();
    this.errors.push(path === '' ? message : `${path}: ${message}`);
  }

  private pathOf(last?: string): string {
    let path = this.base;
    for (const step of last === undefined ? this.steps : [...this.steps, last]) {
      if (typeof step === 'number') path += `[${String(step)}]`;
      else path += `${path === '' || step.startsWith('[') ? '' : '.'}${shortText(step)}`;
    }
    return shortPath(path);
  }
}

/** Where these belong secrets are written, too: a password that is no base64, or only digits, would stand in the audit log. */
const neverQuoted: ReadonlySet<string> = new Set(['object', 'array', 'string', 'base64']);

/** A value as messages quote it, cut short. */
function describe(value: JsonValue): string {
  const type = jsonTypeOf(value);
  if (typeof value === 'boolean') return `boolean ${String(value)}`;
  if (type !== 'string' && type !== 'number') return type;
  return `${type} ${shortText(quoted(value), maxQuoted)}`;
}
