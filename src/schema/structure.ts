/**
 * Structural decoding: from JSON as sent to an object that has the shape of its schema. Unknown fields are dropped (and
 * reported), nulls are left out, scalars take their canonical form, keys the schema's order.
 */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { isObject, jsonTypeOf, setOwn } from '../base/json.ts';
import { quoted, shortPath, shortText } from '../base/short-text.ts';
import type { FieldPath } from '../meta/field-path.ts';
import { plannedBy } from './schema-plan.ts';
import { checkScalar } from './scalar.ts';
import type { ScalarSchema, Schema, StructSchema } from './types.ts';
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
/** Errors of one value. */
export const maxErrors = 100;
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
  const checked = check.struct(shapeOf(schema), value);
  return { value: checked ?? {}, unknown: check.unknown, errors: check.errors };
}

/** A node of the schema as this pass sees it; its own properties, for the kinds of schemas are many shapes to the engine. */
interface Shape {
  readonly type: Schema['type'];
  readonly schema: Schema;
  /** A value of this type fits as it is: text, truth values and small integers are most of what comes. */
  readonly plain: 'string' | 'boolean' | 'int32' | '';
  /** The fields of a struct. */
  members: ReadonlyMap<string, Member>;
  /** The items of a list, the values of a map. */
  inner: Shape | undefined;
}

interface Member {
  readonly name: string;
  /** In the order of the schema. */
  readonly position: number;
  readonly shape: Shape;
}

const noMembers: ReadonlyMap<string, Member> = new Map();

const shapeOf = plannedBy<Shape>({
  create: (schema) => ({
    type: schema.type,
    schema,
    plain: plainTypeOf(schema),
    members: noMembers,
    inner: undefined,
  }),
  fill(shape, schema, of): void {
    if (schema.type === 'list') shape.inner = of(schema.items);
    else if (schema.type === 'map') shape.inner = of(schema.values);
    else if (schema.type === 'struct') shape.members = membersOf(schema, of);
  },
});

function membersOf({ fields }: StructSchema, of: (schema: Schema) => Shape): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const { name, schema } of fields.values()) {
    members.set(name, { name, position: members.size, shape: of(schema) });
  }
  return members;
}

function plainTypeOf(schema: Schema): Shape['plain'] {
  if (schema.type === 'string') return schema.format === '' ? 'string' : '';
  if (schema.type === 'boolean') return 'boolean';
  return schema.type === 'integer' && schema.format === 'int32' ? 'int32' : '';
}

function isPlain({ plain }: Shape, value: JsonValue): boolean {
  if (typeof value === 'string') return plain === 'string';
  if (typeof value === 'number') return plain === 'int32' && value === (value | 0) && !Object.is(value, -0);
  return typeof value === 'boolean' && plain === 'boolean';
}

class StructureCheck {
  readonly unknown: string[] = [];
  readonly errors: string[] = [];
  /** The way to the current value; joined only when there is something to report. */
  private readonly steps: (string | number)[] = [];
  private readonly base: string;
  private depth = 0;

  constructor(base: string) {
    this.base = base;
  }

  struct(shape: Shape, value: JsonValue): JsonObject | undefined {
    if (!isObject(value)) {
      this.mismatch('object', value);
      return undefined;
    }
    if (this.depth >= maxDepth) {
      this.error(`nested deeper than ${String(maxDepth)} levels`);
      return undefined;
    }
    this.depth++;
    const result = this.members(shape, value);
    this.depth--;
    return result;
  }

  /**
   * What is given is looked up in the schema. Looking up each of a struct's fields (a container's 22), of which few are
   * given, took 14 µs for a pod instead of 10.
   */
  private members(shape: Shape, value: JsonObject): JsonObject {
    const given: Member[] = [];
    let isInOrder = true;
    let isKnown = true;
    let last = -1;
    for (const key of Object.keys(value)) {
      const member = shape.members.get(key);
      if (member === undefined) {
        isKnown = false;
        continue;
      }
      isInOrder &&= member.position > last;
      last = member.position;
      given.push(member);
    }
    if (!isInOrder) given.sort((a, b) => a.position - b.position);
    const result = this.checked(given, value);
    if (!isKnown) this.unknownFields(shape.schema as StructSchema, value, result);
    return result;
  }

  private checked(members: readonly Member[], value: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const { name, shape } of members) {
      const member = value[name];
      if (member === undefined || member === null) continue;
      if (isPlain(shape, member)) {
        setOwn(result, name, member);
        continue;
      }
      this.steps.push(name);
      const checked = this.value(shape, member);
      this.steps.pop();
      if (checked !== undefined) setOwn(result, name, checked);
    }
    return result;
  }

  /** Fields that the schema does not name: kept where the schema says so, else dropped and reported. */
  private unknownFields(schema: StructSchema, value: JsonObject, result: JsonObject): void {
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined || schema.fields.has(key)) continue;
      if (schema.preserveUnknown) setOwn(result, key, member);
      else if (this.unknown.length < maxErrors) this.unknown.push(this.pathOf(key));
    }
  }

  private value(shape: Shape, value: JsonValue): JsonValue | undefined {
    if (shape.type === 'struct') return this.struct(shape, value);
    if (shape.type === 'map') return this.map(shape.inner as Shape, value);
    if (shape.type === 'list') return this.list(shape.inner as Shape, value);
    return shape.type === 'any' ? value : this.scalar(shape.schema as ScalarSchema, value);
  }

  private scalar(schema: ScalarSchema, value: JsonValue): JsonValue | undefined {
    const result = checkScalar(schema, value);
    if ('value' in result) return result.value;
    this.mismatch(result.expected, value);
    return undefined;
  }

  private list(items: Shape, value: JsonValue): JsonArray | undefined {
    if (!Array.isArray(value)) {
      this.mismatch('array', value);
      return undefined;
    }
    const result: JsonArray = [];
    for (let i = 0; i < value.length; i++) {
      const checked = this.entry(items, value[i] ?? null, i);
      if (checked !== undefined) result.push(checked);
    }
    return result;
  }

  private map(values: Shape, value: JsonValue): JsonObject | undefined {
    if (!isObject(value)) {
      this.mismatch('object', value);
      return undefined;
    }
    const result: JsonObject = {};
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      const checked = this.entry(values, member, key);
      if (checked !== undefined) setOwn(result, key, checked);
    }
    return result;
  }

  /** An item of a list or a value of a map; a null is zero there. */
  private entry(shape: Shape, value: JsonValue, at: string | number): JsonValue | undefined {
    if (isPlain(shape, value)) return value;
    this.steps.push(typeof at === 'number' ? at : `[${at}]`);
    const checked = this.value(shape, value === null ? zeroValue(shape.schema) : value);
    this.steps.pop();
    return checked;
  }

  private mismatch(expected: string, value: JsonValue): void {
    const got = neverQuoted.has(expected) ? jsonTypeOf(value) : describe(value);
    this.error(`expected ${expected}, got ${got}`);
  }

  private error(message: string): void {
    if (this.errors.length >= maxErrors) return;
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
