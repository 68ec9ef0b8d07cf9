/** Updates under a schema that became tighter: what stayed as it was is not judged again. */
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { deepEqual } from '../../../../src/base/json.ts';
import { FieldPath } from '../../../../src/meta/field-path.ts';
import { Unchanged } from '../../../../src/schema/structural/unchanged.ts';
import { validateBySchema } from '../../../../src/schema/structural/validate-structural.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';

const small = { type: 'integer', maximum: 1 };

function errorsOf(schema: JsonObject, value: JsonValue, before?: JsonValue): string[] {
  const place = { path: FieldPath.of(''), prefix: 'x-orch-', before };
  return validateBySchema(schema, value, place).map(({ field }) => field);
}

const keyed: JsonObject = {
  type: 'array',
  'x-orch-list-type': 'map',
  'x-orch-list-map-keys': ['k'],
  items: { type: 'object', properties: { k: { type: 'string' }, v: small } },
};

const cases: readonly (readonly [
  name: string,
  schema: JsonObject,
  value: JsonValue,
  before: JsonValue,
  errors: string[],
])[] = [
  ['a member', { properties: { a: small, b: small } }, { a: 5, b: 1 }, { a: 5, b: 0 }, []],
  ['a changed member', { properties: { a: small } }, { a: 6 }, { a: 5 }, ['a']],
  ['a new member', { properties: { a: small, b: small } }, { a: 5, b: 5 }, { a: 5 }, ['b']],
  ['a member of a map', { additionalProperties: small }, { a: 5, b: 5 }, { a: 5 }, ['b']],
  [
    'an object that lacks what is required now',
    { properties: { a: { required: ['x'] }, b: small } },
    { a: {}, b: 1 },
    { a: {}, b: 0 },
    [],
  ],
  [
    'a changed object that lacks it',
    { required: ['x'], properties: { a: small } },
    { a: 1 },
    { a: 0 },
    ['x'],
  ],
  ['a list', { properties: { l: { items: small }, b: small } }, { l: [5], b: 1 }, { l: [5], b: 0 }, []],
  ['an item of a changed list', { properties: { l: { items: small } } }, { l: [5, 1] }, { l: [5] }, ['l[0]']],
  [
    'an item with keys',
    { properties: { l: keyed } },
    {
      l: [
        { k: 'b', v: 1 },
        { k: 'a', v: 5 },
      ],
    },
    { l: [{ k: 'a', v: 5 }] },
    [],
  ],
  [
    'a changed item with keys',
    { properties: { l: keyed } },
    { l: [{ k: 'a', v: 6 }] },
    { l: [{ k: 'a', v: 5 }] },
    ['l[0].v'],
  ],
];

test.each(cases)('%s', (...parts) => {
  const [, schema, value, before, errors] = parts;
  expect(errorsOf(schema, value, before)).toEqual(errors);
  expect(errorsOf(schema, value).length).toBeGreaterThan(0);
});

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

test('values that are equal are unchanged, and no others', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const unchanged = new Unchanged();
      expect(unchanged.isSame(a, b)).toBe(deepEqual(a, b));
      expect(unchanged.isSame(a, structuredClone(a))).toBe(true);
      expect(unchanged.isSame(a, b)).toBe(deepEqual(a, b));
    }),
  );
});

test('a deep value is compared once, not once for each level', () => {
  const depth = 400;
  const wide = Array.from({ length: 2_000 }, (_, i) => i);
  const nested = (last: number): JsonValue =>
    Array.from({ length: depth }).reduce<JsonValue>((inner) => ({ wide, inner }), { last });
  const schema = Array.from({ length: depth }).reduce<JsonObject>((inner) => ({ properties: { inner } }), {
    properties: { last: small },
  });
  const value = nested(5);
  const before = JSON.parse(JSON.stringify(nested(6))) as JsonValue;
  expect(cpuMsOf(() => expect(errorsOf(schema, value, before)).toHaveLength(1))).toBeLessThan(cpuBudget(400));
});
