/** Values → CBOR, and back. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { decodeCbor } from '../../../../src/codec/cbor/decode-cbor.ts';
import { encodeCbor, encodeCborDocument } from '../../../../src/codec/cbor/encode-cbor.ts';
import { cborFrame, cborListOpening, withType } from '../../../../src/codec/cbor/cbor-frames.ts';
import { decodeJson } from '../../../../src/codec/decode-json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { loadCatalogueSchemas } from '../../../../src/api/schemas.ts';
import type { StructSchema } from '../../../../src/schema/types.ts';
import { arbitraryObject } from '../../../support/arbitrary-object.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';

function hexOf(value: JsonValue): string {
  return encodeCbor(value).toString('hex');
}

test.each<[JsonValue, string]>([
  [0, '00'],
  [-0, '00'],
  [23, '17'],
  [24, '1818'],
  [255, '18ff'],
  [256, '190100'],
  [65_536, '1a00010000'],
  [4_294_967_296, '1b0000000100000000'],
  [Number.MAX_SAFE_INTEGER, '1b001fffffffffffff'],
  [2 ** 53, '1b0020000000000000'],
  [-1, '20'],
  [-500, '3901f3'],
  [1e300, 'fb7e37e43c8800759c'],
  [2 ** 63, 'fa5f000000'],
  [1.5, 'f93e00'],
  [65504.5, 'fa477fe080'],
  [5.960464477539063e-8, 'f90001'],
  [0.00006103515625, 'f90400'],
  [1.1, 'fb3ff199999999999a'],
  [true, 'f5'],
  [false, 'f4'],
  [null, 'f6'],
  ['', '40'],
  ['ü', '42c3bc'],
  ['\ud800', '43efbfbd'],
  [[1, [2]], '82018102'],
  [{ b: 1, a: 'x' }, 'a2416201416141 78'.replace(' ', '')],
])('%j', (value, hex) => {
  expect(hexOf(value)).toBe(hex);
});

test('integers of 64 bits keep every digit', () => {
  for (const digits of [
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '-9007199254740993',
  ])
    expect(JSON.stringify(decodeCbor(encodeCbor(JSON.rawJSON(digits))))).toBe(digits);
  // No integer of a reader: a float, as beyond 2^63 in any case.
  expect(hexOf(JSON.rawJSON('18446744073709551615'))).toBe('fa5f800000');
});

test('members that are undefined are none; a document says what it is', () => {
  const object: JsonObject = { a: undefined, b: 1 };
  expect(hexOf(object)).toBe('a1416201');
  expect(encodeCborDocument(object).toString('hex')).toBe('d9d9f7a1416201');
});

test.each([0, 1, 21, 22, 23, 24, 300, 70_000])('an object of %i members gets its type', (count) => {
  const members = Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${String(i)}`, i]));
  const type = { kind: 'Pod', apiVersion: 'v1' };
  const typed = withType(encodeCbor(members), type);
  expect(typed).toEqual(encodeCbor({ ...type, ...members }));
});

test('a list is opened, an event framed', () => {
  const opening = cborListOpening({ kind: 'List', metadata: {} }, 'items', 2);
  const items = [{ a: 1 }, { b: 2 }];
  const list = Buffer.concat([opening, ...items.map((item) => encodeCbor(item))]);
  expect(list.subarray(0, 3).toString('hex')).toBe('d9d9f7');
  expect(decodeCbor(list)).toEqual({ kind: 'List', metadata: {}, items });
  const frame = cborFrame('ADDED', encodeCbor({ a: 1 }));
  expect(frame.toString('latin1')).toBe('\xd9\xd9\xf7\xa2Dtype\x45ADDED\x46object\xd9\xd9\xf7\xa1Aa\x01');
});

const schemas = loadCatalogueSchemas(namingProfiles.kubernetes, 36);

test('fields of bytes are bytes, which are base64 where they become text', () => {
  const secret = { kind: 'Secret', data: { a: 'AQID', b: '' }, stringData: { c: 'AQID' } };
  const bytes = encodeCbor(secret, schemas.find('core/v1.Secret'));
  expect(bytes.includes(Buffer.from('4161d643010203', 'hex'))).toBe(true);
  expect(decodeCbor(bytes)).toEqual(secret);
});

test('random JSON comes back', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const { value } = decodeJson(Buffer.from(text));
      expect(JSON.stringify(decodeCbor(encodeCbor(value)))).toBe(JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});

test('random numbers come back', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      expect(JSON.stringify(decodeCbor(encodeCbor(value)))).toBe(JSON.stringify(value));
    }),
    { numRuns: 5_000 },
  );
});

test('random objects of every type come back', () => {
  const structs = schemas.names().map((name) => schemas.find(name));
  const typed = structs.filter((schema): schema is StructSchema => schema?.type === 'struct');
  expect(typed.length).toBeGreaterThan(1_000);
  for (const schema of typed)
    fc.assert(
      fc.property(arbitraryObject(schema, 1), (object) => {
        const { value } = decodeJson(Buffer.from(JSON.stringify(object)));
        expect(decodeCbor(encodeCbor(object, schema))).toEqual(value);
      }),
      { numRuns: 1 },
    );
});

test('random bytes are a value or a DecodeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        JSON.stringify(decodeCbor(Buffer.from(bytes)));
      } catch (error) {
        expect((error as Error).name).toBe('DecodeError');
      }
    }),
    { numRuns: 20_000 },
  );
});

test('the time grows with the value', () => {
  const list = (count: number): JsonValue =>
    Array.from({ length: count }, (_, i) => ({
      name: `name-${String(i)}`,
      text: 'ü'.repeat(30),
      ratio: i / 3,
    }));
  const time = (value: JsonValue): number =>
    Math.min(...[0, 1, 2].map(() => cpuMsOf(() => void encodeCbor(value))));
  const [large, larger] = [list(10_000), list(80_000)];
  time(large);
  expect(time(larger)).toBeLessThan(time(large) * 8 * 3 + cpuBudget(10));
});
