/**
 * Validation of a custom resource by its OpenAPI v3 schema: every fault with its path, in the words that clients of
 * this API know. Null members were pruned where null means nothing, so a null here is a value.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import { quoted, shortText } from '../../base/short-text.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported, required, typeInvalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { isInRange, isOfFormat } from './formats.ts';
import { patternOf } from './pattern.ts';
import { objectOr } from './types.ts';

/** More than anybody reads; an object with more faults is told of these. */
const maxFaults = 500;

/**
 * Faults of a value by a schema as it was written.
 * @param prefix of extensions, as the naming profile spells it
 */
export function validateBySchema(
  schema: JsonObject,
  value: JsonValue,
  { path, prefix }: { readonly path: FieldPath; readonly prefix: string },
): FieldError[] {
  const check = new SchemaCheck(prefix);
  check.value(schema, value, path);
  return check.faults;
}

class SchemaCheck {
  readonly faults: FieldError[] = [];
  private readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  value(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    if (this.faults.length >= maxFaults || (value === null && schema['nullable'] === true)) return;
    if (!this.type(schema, value, path)) return;
    this.enumeration(schema, value, path);
    if (typeof value === 'string') this.text(schema, value, path);
    else if (Array.isArray(value)) this.list(schema, value, path);
    else if (isObject(value)) this.members(schema, value, path);
    else if (typeof value === 'number' || JSON.isRawJSON(value)) this.number(schema, value, path);
    this.combinations(schema, value, path);
  }

  private tell(path: FieldPath, value: JsonValue, message: string): void {
    this.faults.push(invalid(path, value, inBody(path, message)));
  }

  /** False when the value is of another type, of which nothing more need be said. */
  private type(schema: JsonObject, value: JsonValue, path: FieldPath): boolean {
    const actual = typeOf(value);
    if (schema[`${this.prefix}int-or-string`] === true) {
      if (actual === 'integer' || actual === 'string') return true;
      this.faults.push(
        typeInvalid(path, shown(value), inBody(path, `must be of type integer or string: "${actual}"`)),
      );
      return false;
    }
    const wanted = schema['type'];
    if (typeof wanted !== 'string' || wanted === '' || wanted === actual) return true;
    if (wanted === 'number' && actual === 'integer') return true;
    this.faults.push(typeInvalid(path, shown(value), inBody(path, `must be of type ${wanted}: "${actual}"`)));
    return false;
  }

  private enumeration(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    const allowed = schema['enum'];
    if (!Array.isArray(allowed) || allowed.length === 0) return;
    if (allowed.some((candidate) => deepEqual(candidate, value))) return;
    const texts = allowed.map((v) => (typeof v === 'string' ? v : JSON.stringify(v)));
    this.faults.push(notSupported(path, value, texts));
  }

  private text(schema: JsonObject, value: string, path: FieldPath): void {
    const { maxLength, minLength, pattern, format } = schema;
    const length = typeof maxLength === 'number' || typeof minLength === 'number' ? codePoints(value) : 0;
    if (typeof maxLength === 'number' && length > maxLength)
      this.tell(path, value, `should be at most ${String(maxLength)} chars long`);
    if (typeof minLength === 'number' && length < minLength)
      this.tell(path, value, `should be at least ${String(minLength)} chars long`);
    if (typeof pattern === 'string' && pattern !== '' && patternOf(pattern)?.matcher(value).find() !== true)
      this.tell(path, value, `should match '${shortText(pattern)}'`);
    if (typeof format === 'string' && !isOfFormat(format, value))
      this.faults.push(typeInvalid(path, value, inBody(path, `must be of type ${format}: ${quoted(value)}`)));
  }

  private number(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    const number = toNumber(value);
    const { maximum, minimum, multipleOf, format } = schema;
    const told = (message: string): void => this.tell(path, value, message);
    if (isNumber(maximum)) {
      const limit = toNumber(maximum);
      if (schema['exclusiveMaximum'] === true && number >= limit)
        told(`should be less than ${String(limit)}`);
      else if (number > limit) told(`should be less than or equal to ${String(limit)}`);
    }
    if (isNumber(minimum)) {
      const limit = toNumber(minimum);
      if (schema['exclusiveMinimum'] === true && number <= limit)
        told(`should be greater than ${String(limit)}`);
      else if (number < limit) told(`should be greater than or equal to ${String(limit)}`);
    }
    if (isNumber(multipleOf) && !isMultiple(number, toNumber(multipleOf)))
      told(`should be a multiple of ${String(toNumber(multipleOf))}`);
    if (typeof format === 'string' && !fits(format, value)) told(`should be of format ${format}`);
  }

  private list(schema: JsonObject, list: JsonArray, path: FieldPath): void {
    const { maxItems, minItems, items } = schema;
    if (typeof maxItems === 'number' && list.length > maxItems)
      this.tell(path, list.length, `should have at most ${String(maxItems)} items`);
    if (typeof minItems === 'number' && list.length < minItems)
      this.tell(path, list.length, `should have at least ${String(minItems)} items`);
    if (schema['uniqueItems'] === true && !isUnique(list))
      this.tell(path, list, "shouldn't contain duplicates");
    if (isObject(items)) list.forEach((item, i) => this.value(items, item, path.index(i)));
  }

  private members(schema: JsonObject, object: JsonObject, path: FieldPath): void {
    const keys = Object.keys(object);
    const { maxProperties, minProperties } = schema;
    if (typeof maxProperties === 'number' && keys.length > maxProperties)
      this.tell(path, keys.length, `should have at most ${String(maxProperties)} properties`);
    if (typeof minProperties === 'number' && keys.length < minProperties)
      this.tell(path, keys.length, `should have at least ${String(minProperties)} properties`);
    for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
      if (typeof name === 'string' && getOwn(object, name) === undefined)
        this.faults.push(required(path.child(name)));
    }
    const properties = objectOr(schema['properties']);
    for (const key of keys) {
      const member = object[key];
      const own = getOwn(properties, key) ?? schema['additionalProperties'];
      if (member === undefined) continue;
      if (isObject(own)) this.value(own, member, path.child(key));
      else if (own === false)
        this.faults.push(invalid(path, key, inBody(path.child(key), 'is a forbidden property')));
    }
  }

  private combinations(schema: JsonObject, value: JsonValue, path: FieldPath): void {
    for (const part of schemasIn(schema['allOf'])) this.value(part, value, path);
    const anyOf = schemasIn(schema['anyOf']);
    if (anyOf.length > 0 && !anyOf.some((part) => this.holds(part, value, path)))
      this.tell(path, shown(value), 'must validate at least one schema (anyOf)');
    const oneOf = schemasIn(schema['oneOf']);
    if (oneOf.length > 0) {
      const valid = oneOf.filter((part) => this.holds(part, value, path)).length;
      const found = valid === 0 ? 'Found none valid' : `Found ${String(valid)} valid alternatives`;
      if (valid !== 1)
        this.tell(path, shown(value), `must validate one and only one schema (oneOf). ${found}`);
    }
    if (isObject(schema['not']) && this.holds(schema['not'], value, path))
      this.tell(path, shown(value), 'must not validate the schema (not)');
  }

  private holds(schema: JsonObject, value: JsonValue, path: FieldPath): boolean {
    const check = new SchemaCheck(this.prefix);
    check.value(schema, value, path);
    return check.faults.length === 0;
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
  return list.every((item, i) => !list.slice(0, i).some((other) => deepEqual(other, item)));
}

function schemasIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
