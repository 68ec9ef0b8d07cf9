/** Random values that fit a schema, for round trips through codecs. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { setOwn } from '../../src/base/json.ts';
import type { Field, ScalarSchema, Schema, StructSchema } from '../../src/schema/types.ts';

const times = fc.date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true });
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
const text = fc.string({ unit: 'grapheme', maxLength: 30 });

/** A random object of a struct, nested at most `depth` structs deep. */
export function arbitraryObject(schema: StructSchema, depth = 3): fc.Arbitrary<JsonObject> {
  const fields = [...schema.fields.values()].filter((field) => field.protoNumber > 0);
  const values = fields.map((field) =>
    fc.option(arbitraryField(field, schema, depth), { nil: undefined, freq: 2 }),
  );
  return fc.tuple(...values).map((found) => {
    const object: JsonObject = {};
    fields.forEach((field, index) => {
      const value = found[index];
      if (value !== undefined) setOwn(object, field.name, value);
    });
    return object;
  });
}

function arbitraryField(field: Field, owner: StructSchema, depth: number): fc.Arbitrary<JsonValue> {
  if (field.protoType === 'meta/v1.Duration') return fc.constantFrom('0s', '1h0m0s', '1.5s', '-3m0s', '7ns');
  return arbitraryValue(field.schema, owner, depth);
}

function arbitraryValue(schema: Schema, owner: StructSchema, depth: number): fc.Arbitrary<JsonValue> {
  if (schema.type === 'struct') return depth > 0 ? arbitraryObject(schema, depth - 1) : fc.constant({});
  if (schema.type === 'list') return fc.array(arbitraryValue(schema.items, owner, depth), { maxLength: 3 });
  if (schema.type === 'any') return arbitraryFree(schema.name, owner, depth);
  if (schema.type !== 'map') return arbitraryScalar(schema);
  const keys = fc.oneof(text, fc.constant('__proto__'));
  return fc.dictionary(keys, arbitraryValue(schema.values, owner, depth), { maxKeys: 3 }).map(plain);
}

/** fast-check's dictionaries may have no prototype. */
function plain(value: Record<string, JsonValue>): JsonObject {
  const object: JsonObject = {};
  for (const [key, member] of Object.entries(value)) setOwn(object, key, member);
  return object;
}

function arbitraryFree(name: string, owner: StructSchema, depth: number): fc.Arbitrary<JsonValue> {
  const schema = depth > 0 ? arbitraryObject(owner, depth - 1) : fc.constant<JsonObject>({});
  if (name.endsWith('OrStringArray')) return fc.oneof(schema, fc.array(text, { maxLength: 2 }));
  if (name.endsWith('OrArray')) return fc.oneof(schema, fc.array(schema, { maxLength: 2 }));
  if (name.endsWith('OrBool')) return fc.oneof(schema, fc.boolean());
  return name.endsWith('.JSON') ? json : json.map((value) => ({ value }));
}

function arbitraryScalar({ type, format }: ScalarSchema): fc.Arbitrary<JsonValue> {
  if (format === 'date-time') return times.map((time) => `${time.toISOString().slice(0, 19)}Z`);
  if (format === 'micro-time') return times.map((time) => time.toISOString().replace('Z', '123Z'));
  if (format === 'quantity') return fc.constantFrom('1', '100m', '1Gi', '0', '1.5');
  if (format === 'int-or-string')
    return fc.oneof(fc.integer({ min: -5, max: 99999 }), fc.constantFrom('80%', 'http'));
  if (format === 'byte')
    return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return arbitraryInteger(format);
  if (type === 'number')
    return fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (x === 0 ? 0 : x));
  return text;
}

function arbitraryInteger(format: ScalarSchema['format']): fc.Arbitrary<JsonValue> {
  if (format === 'uint32') return fc.nat(2 ** 32 - 1);
  if (format === 'int64') return fc.oneof(fc.integer(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(exact));
  if (format === 'uint64') return fc.bigInt(0n, 2n ** 64n - 1n).map(exact);
  return fc.integer();
}

function exact(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}
