/**
 * Values → CBOR (RFC 8949), by the rules of the reference: texts and keys are byte strings, numbers as short as they go,
 * lengths definite. Members stand in their order, as in JSON: readers must not expect another.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { isSmall } from '../../base/is-small.ts';
import type { Schema } from '../../schema/types.ts';
import { CborWriter } from './cbor-writer.ts';
import { major, selfDescribed, simple } from './heads.ts';

/**
 * Encodes a value.
 * @param schema finds the fields that hold bytes, which go out as such; absent: all texts are texts
 */
export function encodeCbor(value: JsonValue, schema?: Schema): Buffer {
  const writer = new CborWriter();
  writeValue(writer, value, schema);
  return writer.finish();
}

/** A whole document: begins with the tag that says so. */
export function encodeCborDocument(value: JsonValue, schema?: Schema): Buffer {
  const writer = new CborWriter();
  writer.raw(selfDescribed);
  writeValue(writer, value, schema);
  return writer.finish();
}

/** Written at once, in some microseconds. */
const mostAtOnce = 64;

/** The same for a value that may be large, in steps; what `encodeCborDocument` gives without a schema. */
export function* cborInSteps(value: JsonValue): Generator<void, Buffer, void> {
  const writer = new CborWriter();
  writer.raw(selfDescribed);
  yield* writeInSteps(writer, value);
  return writer.finish();
}

function* writeInSteps(writer: CborWriter, value: JsonValue): Generator<void, void, void> {
  if (isSmall(value, mostAtOnce)) {
    writeValue(writer, value, undefined);
    yield;
  } else if (Array.isArray(value)) {
    writer.head(major.list, value.length);
    for (const item of value) yield* writeInSteps(writer, item);
  } else if (isObject(value)) {
    writer.head(major.map, countOf(value));
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      writer.string(key);
      yield* writeInSteps(writer, member);
    }
  }
}

function writeValue(writer: CborWriter, value: JsonValue, schema: Schema | undefined): void {
  if (typeof value === 'string') writeText(writer, value, schema);
  else if (typeof value === 'number') writeNumber(writer, value);
  else if (typeof value === 'boolean') writer.head(major.simple, value ? simple.true : simple.false);
  else if (value === null) writer.head(major.simple, simple.null);
  else if (Array.isArray(value)) {
    writer.head(major.list, value.length);
    const items = schema?.type === 'list' ? schema.items : undefined;
    for (const item of value) writeValue(writer, item, items);
  } else if (isObject(value)) {
    writer.head(major.map, countOf(value));
    writeMembers(writer, value, schema);
  } else writeExact(writer, value.rawJSON);
}

function countOf(object: JsonObject): number {
  let count = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) count += 1;
  return count;
}

/** Writes members, without the head of a map around them. */
export function writeMembers(writer: CborWriter, object: JsonObject, schema?: Schema): void {
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    writer.string(key);
    writeValue(writer, member, memberSchema(schema, key));
  }
}

function memberSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'struct') return schema.fields.get(key)?.schema;
  return schema?.type === 'map' ? schema.values : undefined;
}

function writeText(writer: CborWriter, text: string, schema: Schema | undefined): void {
  if (schema?.type === 'string' && schema.format === 'byte') writer.base64(Buffer.from(text, 'base64'));
  else writer.string(text);
}

function writeNumber(writer: CborWriter, value: number): void {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) writer.float(value);
  // What JSON would say, which prints no more digits than tell it from its neighbours.
  else if (!Number.isSafeInteger(value)) writer.integer(BigInt(String(value)));
  else if (value < 0) writer.head(major.negative, -1 - value);
  else writer.head(major.unsigned, value);
}

/** A number whose text must survive: an integer of 64 bits. */
function writeExact(writer: CborWriter, text: string): void {
  const isInteger = /^-?[0-9]{1,19}$/.test(text);
  const value = isInteger ? BigInt(text) : undefined;
  if (value !== undefined && BigInt.asIntN(64, value) === value) writer.integer(value);
  else writer.float(Number(text));
}
