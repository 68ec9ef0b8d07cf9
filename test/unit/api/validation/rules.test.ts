import fc from 'fast-check';
import { annotationsMaxBytes, validateAnnotations } from '../../../../src/api/validation/labels.ts';
import { roundUpQuantities } from '../../../../src/api/validation/quantities.ts';
import { allOf, each, eachValue, givenFields, sameExcept } from '../../../../src/api/validation/rules.ts';
import type { JsonValue } from '../../../../src/base/json.ts';
import { deepCopy, deepEqual } from '../../../../src/base/json.ts';
import type { FieldError } from '../../../../src/meta/field-error.ts';
import { required } from '../../../../src/meta/field-error.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { formatQuantity, parseQuantity, roundUpToMilli } from '../../../../src/meta/quantity.ts';

const path = FieldPath.of('x');
const needed = (_value: unknown, at: FieldPath): FieldError[] => [required(at)];

test('errors in several rules stand in their order, and no list of theirs grows', () => {
  const lists = fc.array(fc.array(fc.nat().map((n) => required(String(n)))));
  fc.assert(
    fc.property(lists, (found) => {
      const before = found.map((list) => [...list]);
      expect(allOf(...found)).toEqual(before.flat());
      expect(found).toEqual(before);
    }),
  );
});

test('rules of lists, maps and fields say where', () => {
  const fields = (found: readonly FieldError[]): string[] => found.map(({ field }) => field);
  expect(fields(each(['a', 'b'], path, needed))).toEqual(['x[0]', 'x[1]']);
  expect(each(null, path, needed)).toEqual([]);
  const map = JSON.parse('{"b":1,"__proto__":2}') as Record<string, number>;
  expect(fields(eachValue(map, path, needed))).toEqual(['x[b]', 'x[__proto__]']);
  expect(eachValue(undefined, path, needed)).toEqual([]);
  const struct: { a?: number | null; b?: number; c?: number } = { a: null, b: 0, c: 1 };
  expect(fields(givenFields(struct, ['c', 'a', 'b'], path, needed))).toEqual(['x.c', 'x.b']);
});

test('two structs but for some fields are the same as copies without them', () => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const value = fc.constantFrom<(JsonValue | undefined)[]>(undefined, null, 1, { n: [1] }, { n: [2] });
  const struct = fc
    .array(fc.tuple(key, value))
    .map((members) => Object.fromEntries(members) as Record<string, JsonValue>);
  const without = (of: object, fields: readonly string[]): Record<string, JsonValue> =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !fields.includes(name)));
  fc.assert(
    fc.property(struct, struct, fc.subarray(['a', 'c', '__proto__']), (a, b, fields) => {
      const isSame = deepEqual(without(a, fields), without(b, fields));
      expect(sameExcept(a, b, fields)).toBe(isSame);
      expect(sameExcept(a, deepCopy(a), fields)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('amounts are rounded as their quantities are', () => {
  const digits = fc.nat(2_000).map(String);
  const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e-7', '.0001', '.5');
  fc.assert(
    fc.property(digits, suffix, (number, unit) => {
      const text = number + unit;
      const list = { cpu: text };
      roundUpQuantities(list);
      const exact = parseQuantity(text);
      const rounded = exact && roundUpToMilli(exact);
      const expected = rounded && rounded.nanos !== exact.nanos ? formatQuantity(rounded) : text;
      expect(list.cpu).toBe(expected);
    }),
  );
});

test.each(['a', 'é', '€', '😀'])('annotations of %s are counted in bytes', (character) => {
  const bytes = Buffer.byteLength(character);
  const room = Math.floor((annotationsMaxBytes - 1) / bytes);
  const errorsOf = (count: number): number =>
    validateAnnotations({ k: character.repeat(count) }, path).length;
  expect(errorsOf(room)).toBe(0);
  expect(errorsOf(room + 1)).toBe(1);
});
