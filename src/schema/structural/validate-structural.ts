/**
 * Validation of a custom resource by its OpenAPI v3 schema: every error with its path, in the words that clients of
 * this API know. Null members were pruned where null means nothing, so a null here is a value.
 */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { quoted, shortText } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import {
  forbidden,
  invalid,
  maxFieldErrors,
  notSupported,
  required,
  typeInvalid,
} from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { isAmong, wordOf } from './enumeration.ts';
import { isInRange, isOfFormat } from './formats.ts';
import { itemsByKeys } from './items-by-keys.ts';
import { isMatch } from './pattern-match.ts';
import { StepBudget, StepsExceeded } from './step-budget.ts';
import { objectOr } from './types.ts';
import { Unchanged } from './unchanged.ts';

/** Values that a message lists; of more it has the number. */
const maxListedValues = 100;

/** What some work costs, in visits of a small value. */
const charactersPerStep = 64;

const unspecifiedError: FieldError = { reason: 'FieldValueInvalid', field: '', message: '' };

/** Where a value stands, and what its validation may cost. */
export interface SchemaPlace {
  readonly path: FieldPath;
  /** Of extensions, as the naming profile spells it. */
  readonly prefix: string;
  /** Absent: that of one object. */
  readonly budget?: StepBudget;
  /** The value before an update: what stayed as it was is not judged again. */
  readonly before?: JsonValue | undefined;
}

/**
 * Errors in a value by a schema as it was written: the first ones, and none beyond the bound on the errors of an
 * object. A schema may hold a value to thousands of alternatives, and a value thousands of items: what takes more steps
 * than the budget has is rejected.
 */
export function validateBySchema(
  schema: JsonObject,
  value: JsonValue,
  { path, prefix, budget = new StepBudget(), before }: SchemaPlace,
): FieldError[] {
  const check = new SchemaCheck(prefix, budget);
  try {
    check.value(schema, value, path, before);
    return check.errors;
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error;
    return [...check.errors.slice(0, maxFieldErrors - 1), forbidden(path, error.message)];
  }
}

class SchemaCheck {
  readonly errors: FieldError[] = [];
  private readonly prefix: string;
  /** The name of the extension, which is looked up in every schema. */
  private readonly intOrString: string;
  private readonly budget: StepBudget;
  /** Made for a value that is compared with what it was: most are not. */
  private unchanged: Unchanged | undefined;
  /** Of an alternative one wants to know whether it fits, not why it does not. */
  private readonly maxErrors: number;

  constructor(prefix: string, budget: StepBudget, maxErrors = maxFieldErrors) {
    this.prefix = prefix;
    this.intOrString = `${prefix}int-or-string`;
    this.budget = budget;
    this.maxErrors = maxErrors;
  }

  private get isFull(): boolean {
    return this.errors.length >= this.maxErrors;
  }

  /** @param before the value as it was, if it is known which one it was */
  value(schema: JsonObject, value: JsonValue, path: FieldPath, before?: JsonValue): void {
    this.budget.spend(1);
    if (this.isFull || (value === null && schema['nullable'] === true)) return;
    if (before !== undefined && (this.unchanged ??= new Unchanged()).isSame(value, before)) return;
    if (!this.type(schema, value, path)) return;
    this.enumeration(schema, value, path);
    if (typeof value === 'string') this.text(schema, value, path);
    else if (Array.isArray(value)) this.list(schema, value, path, before);
    else if (isObject(value)) this.members(schema, value, path, before);
    else if (typeof value === 'number' || JSON.isRawJSON(value)) this.number(schema, value, path);
    this.combinations(schema, value, path);
  }

  private report(path: FieldPath, value: JsonValue, message: string): void {
    this.add(() => invalid(path, value, inBody(path, message)));
  }

  /** Words are put together only for what is listed. */
  private add(makeError: () => FieldError): void {
    if (this.isFull) return;
    this.errors.push(this.maxErrors === 1 ? unspecifiedError : makeError());
  }

  /** False when the value is of another type, of which nothing more need be said. */
  private type(schema: JsonObject, value: JsonValue, path: FieldPath): boolean {
    const actual = typeOf(value);
    if (schema[this.intOrString] === true) {
      if (actual === 'integer' || actual === 'string') return true;
      this.reportType(path, value, 'integer or string');
      return false;
    }
    const wanted = schema['type'];
    if (typeof wanted !== 'string' || wanted === '' || wanted === actual) return true;
    if (wanted === 'number' && actual === 'integer') return true;
    this.reportType(path, value, wanted);
    return false;
  }

  private reportType(path: FieldPath, value: JsonValue, wanted: string): void {
    this.add(() =>
      typeInvalid(path, shown(value), inBody(path, `must be of type ${wanted}: "${typeOf(value)}"`)),
    );
  }

  private enumeration(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    const allowed = schema['enum'];
    if (!Array.isArray(allowed) || allowed.length === 0) return;
    if (isAmong(allowed, value, this.budget)) return;
    this.add(() => notSupported(path, value, allowed.slice(0, maxListedValues).map(wordOf), allowed.length));
  }

  private text(schema: JsonObject, value: string, path: FieldPath): void {
    const { maxLength, minLength, pattern, format } = schema;
    this.budget.spend(value.length / charactersPerStep);
    const length = typeof maxLength === 'number' || typeof minLength === 'number' ? codePoints(value) : 0;
    if (typeof maxLength === 'number' && length > maxLength)
      this.report(path, value, `should be at most ${String(maxLength)} chars long`);
    if (typeof minLength === 'number' && length < minLength)
      this.report(path, value, `should be at least ${String(minLength)} chars long`);
    if (typeof pattern === 'string' && pattern !== '' && !isMatch(pattern, value, this.budget))
      this.report(path, value, `should match '${shortText(pattern)}'`);
    if (typeof format === 'string' && !isOfFormat(format, value))
      this.add(() => typeInvalid(path, value, inBody(path, `must be of type ${format}: ${quoted(value)}`)));
  }

  private number(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    const number = toNumber(value);
    const { maximum, minimum, multipleOf, format } = schema;
    const reportNumber = (message: string): void => this.report(path, value, message);
    if (isNumber(maximum)) {
      const limit = toNumber(maximum);
      if (schema['exclusiveMaximum'] === true && number >= limit)
        reportNumber(`should be less than ${String(limit)}`);
      else if (number > limit) reportNumber(`should be less than or equal to ${String(limit)}`);
    }
    if (isNumber(minimum)) {
      const limit = toNumber(minimum);
      if (schema['exclusiveMinimum'] === true && number <= limit)
        reportNumber(`should be greater than ${String(limit)}`);
      else if (number < limit) reportNumber(`should be greater than or equal to ${String(limit)}`);
    }
    if (isNumber(multipleOf) && !isMultiple(number, toNumber(multipleOf)))
      reportNumber(`should be a multiple of ${String(toNumber(multipleOf))}`);
    if (typeof format === 'string' && !fits(format, value)) reportNumber(`should be of format ${format}`);
  }

  private list(schema: JsonObject, list: JsonArray, path: FieldPath, before?: JsonValue): void {
    const { maxItems, minItems, items } = schema;
    if (typeof maxItems === 'number' && list.length > maxItems)
      this.report(path, list.length, `should have at most ${String(maxItems)} items`);
    if (typeof minItems === 'number' && list.length < minItems)
      this.report(path, list.length, `should have at least ${String(minItems)} items`);
    if (schema['uniqueItems'] === true && !isUnique(list))
      this.report(path, list, "shouldn't contain duplicates");
    if (!isObject(items)) return;
    const oldItem = this.oldItems(schema, before);
    for (let i = 0; i < list.length && !this.isFull; i += 1) {
      const item = list[i] ?? null;
      this.value(items, item, path.index(i), oldItem(item));
    }
  }

  /** Gives the old item of an item, where keys tell items apart. */
  private oldItems(
    schema: JsonObject,
    before: JsonValue | undefined,
  ): (item: JsonValue) => JsonValue | undefined {
    if (before === undefined || schema[`${this.prefix}list-type`] !== 'map') return () => undefined;
    const keys = schema[`${this.prefix}list-map-keys`];
    return itemsByKeys(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [], before);
  }

  private members(schema: JsonObject, object: JsonObject, path: FieldPath, before?: JsonValue): void {
    const keys = Object.keys(object);
    const { maxProperties, minProperties } = schema;
    if (typeof maxProperties === 'number' && keys.length > maxProperties)
      this.report(path, keys.length, `should have at most ${String(maxProperties)} properties`);
    if (typeof minProperties === 'number' && keys.length < minProperties)
      this.report(path, keys.length, `should have at least ${String(minProperties)} properties`);
    this.required(schema['required'], object, path);
    const properties = objectOr(schema['properties']);
    for (const key of keys) {
      if (this.isFull) return;
      const member = object[key];
      const own = getOwn(properties, key) ?? schema['additionalProperties'];
      if (member === undefined) continue;
      const old = isObject(before) ? getOwn(before, key) : undefined;
      if (isObject(own)) this.value(own, member, path.child(key), old);
      else if (own === false)
        this.add(() => invalid(path, key, inBody(path.child(key), 'is a forbidden property')));
    }
  }

  private required(names: JsonValue | undefined, object: JsonObject, path: FieldPath): void {
    if (!Array.isArray(names)) return;
    this.budget.spend(names.length / 4);
    for (const name of names) {
      if (this.isFull) return;
      if (typeof name === 'string' && getOwn(object, name) === undefined)
        this.add(() => required(path.child(name)));
    }
  }

  private combinations(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    for (const part of partsIn(schema['allOf'])) {
      if (this.isFull) return;
      if (isObject(part)) this.value(part, value, path);
    }
    const anyOf = partsIn(schema['anyOf']);
    if (anyOf.length > 0 && !anyOf.some((part) => this.holds(part, value, path)))
      this.report(path, shown(value), 'must validate at least one schema (anyOf)');
    const oneOf = partsIn(schema['oneOf']);
    if (oneOf.length > 0) {
      const valid = oneOf.filter((part) => this.holds(part, value, path)).length;
      const found = valid === 0 ? 'Found none valid' : `Found ${String(valid)} valid alternatives`;
      if (valid !== 1)
        this.report(path, shown(value), `must validate one and only one schema (oneOf). ${found}`);
    }
    if (this.holds(schema['not'], value, path))
      this.report(path, shown(value), 'must not validate the schema (not)');
  }

  private holds(schema: JsonValue | undefined, value: JsonValue, path: FieldPath): boolean {
    if (!isObject(schema)) return false;
    const check = new SchemaCheck(this.prefix, this.budget, 1);
    check.value(schema, value, path);
    return check.errors.length === 0;
  }
}

function inBody(path: FieldPath, message: string): string {
  const place = path.toString();
  return `${place === '' ? '' : `${place} `}in body ${message}`;
}

/** Of large values messages quote only what they are. */
function shown(value: JsonValue): JsonValue {
  return isObject(value) || Array.isArray(value) ? typeOf(value) : value;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (JSON.isRawJSON(value)) return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' || JSON.isRawJSON(value);
}

function toNumber(value: JsonValue): number {
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : Number(value);
}

function fits(format: string, value: JsonValue): boolean {
  if (JSON.isRawJSON(value)) return isInRange(format, BigInt(value.rawJSON));
  return typeof value !== 'number' || !Number.isInteger(value) || isInRange(format, BigInt(value));
}

/** Tenths and the like have no exact form, so quotients count as whole when they are as good as whole. */
function isMultiple(value: number, of: number): boolean {
  if (of === 0) return true;
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function isUnique(list: JsonArray): boolean {
  return new Set(list.map((item) => canonicalJson(item))).size === list.length;
}

const noParts: JsonArray = [];

/** Without a copy: the parts may be thousands, and are needed for every item. */
function partsIn(value: JsonValue | undefined): JsonArray {
  return Array.isArray(value) ? value : noParts;
}
