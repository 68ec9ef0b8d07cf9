/** Stored text whose integers are longer than a float holds. */
import * as fc from 'fast-check';
import type { JsonValue } from '../../../src/base/json.ts';
import { parseExactly } from '../../../src/codec/parse-exactly.ts';
import { decodeStored } from '../../../src/codec/stored.ts';
import { cpuMsSince, moment } from '../../support/cpu-time.ts';

/** The same by JSON.parse, which tells the text of each number. */
function revived(text: string): JsonValue {
  return JSON.parse(text, (_key, value: JsonValue, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? '';
    return /^-?[0-9]{16,20}$/.test(source) ? JSON.rawJSON(source) : value;
  }) as JsonValue;
}

const long = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
  .map((value) => JSON.rawJSON(String(value)));
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('a', '7', '__proto__', '\\"', 'x,1234567890123456789', ''),
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    long,
    key,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, [], {}, 1e20, 1e300, 2 ** 53),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((members) => {
      const object = {};
      for (const [name, value] of members)
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true });
      return object;
    }),
  ),
}));

test('is what JSON.parse makes with a reviver', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      const exact = parseExactly(text);
      expect(exact).toStrictEqual(revived(text));
      expect(JSON.stringify(exact)).toBe(JSON.stringify(revived(text)));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  '12345678901234567',
  '{"a":{"b":[1,{"c":12345678901234567}]},"d":[[],{},9223372036854775807]}',
  '{"a":12345678901234567,"a":"text"}',
  '{"a":{"b":12345678901234567},"a":[]}',
  '{"a":"x:12345678901234567","b":"\\\\","c":["\\"",12345678901234567]}',
])('%s', (text) => {
  expect(JSON.stringify(parseExactly(text))).toBe(JSON.stringify(revived(text)));
});

test('takes about as long as without them, wherever the digits stand', () => {
  const spent = (text: string): number => {
    const begin = moment();
    decodeStored(Buffer.from(text));
    return cpuMsSince(begin);
  };
  const least = (text: string): number => Math.min(...[1, 2, 3].map(() => spent(text)));
  const words = '"a",'.repeat(300_000);
  const plain = least(`{"x":[${words}0]}`);
  // With a reviver it takes thirty times as long.
  expect(least(`{"t":"x,12345678901234567","x":[${words}0]}`)).toBeLessThan(8 * plain + 20);
  expect(least(`{"x":[${words}12345678901234567]}`)).toBeLessThan(8 * plain + 20);
});
