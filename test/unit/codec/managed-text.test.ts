/** The text of managed fields is that of their JSON, also where sets were written before. */
import fc from 'fast-check';
import type { JsonArray, JsonObject, JsonValue } from '../../../src/base/json.ts';
import { setOwn } from '../../../src/base/json.ts';
import { managedFieldsText } from '../../../src/codec/managed-text.ts';

const names = fc.constantFrom(
  'manager',
  'time',
  'fieldsV1',
  'subresource',
  '__proto__',
  '7',
  'ä"\\',
  '\ud800',
);
const steps = fc.constantFrom('.', 'f:a', 'f:__proto__', '__proto__', 'k:{"name":"ä"}', 'v:"\\n"', '3');
const { fields } = fc.letrec<{ fields: JsonObject }>((tie) => ({
  fields: fc.oneof(
    { maxDepth: 4 },
    fc.constant<JsonObject>({}),
    fc.array(fc.tuple(steps, tie('fields')), { maxLength: 3 }).map(objectOf),
  ),
}));
const values = fc.oneof(
  fields as fc.Arbitrary<JsonValue | undefined>,
  fc.constantFrom(undefined, null, 1, '', 'x"', '\u2028', true, JSON.rawJSON('12345678901234567890')),
  fc.array(fields, { maxLength: 2 }),
);
const entry = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.tuple(names, values), { maxLength: 6 }).map(objectOf) },
  { weight: 1, arbitrary: fc.constantFrom<(JsonValue | undefined)[]>(undefined, null, 'x', 1, []) },
) as fc.Arbitrary<JsonValue>;

function objectOf(members: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of members) setOwn(object, name, value as JsonValue);
  return object;
}

test('however often, and whatever else the entries say', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), (entries) => {
      const text = JSON.stringify(entries);
      expect(managedFieldsText(entries)).toBe(text);
      expect(managedFieldsText(entries)).toBe(text);
      const later: JsonArray = entries.map((one) =>
        typeof one === 'object' && one !== null && !Array.isArray(one) ? { ...one, time: 'later' } : one,
      );
      expect(managedFieldsText(later)).toBe(JSON.stringify(later));
    }),
    { numRuns: 500 },
  );
});

test.each<JsonValue>([null, 'x', 1, {}, { fieldsV1: {} }])('what is no list: %j', (value) => {
  expect(managedFieldsText(value)).toBe(JSON.stringify(value));
});
