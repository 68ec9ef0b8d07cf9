/** The object that a write leaves is the one that parsing its text would give, or there is none. */
import fc from 'fast-check';
import { setOwn, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { storedForm } from '../../../src/codec/stored-form.ts';
import { decodeStored, encodeStored } from '../../../src/codec/stored.ts';

const keys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom(
    '__proto__',
    '7',
    '1',
    'labels',
    'managedFields',
    'selfLink',
    'resourceVersion',
    'kind',
    'name',
    'status',
  ),
);
const { tree } = fc.letrec<{ tree: JsonValue | undefined }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom<JsonValue | undefined>(
        null,
        undefined,
        -0,
        1e17,
        2 ** 53,
        NaN,
        JSON.rawJSON('12345678901234567890'),
      ),
    ),
    fc.array(tie('tree'), { maxLength: 3 }) as fc.Arbitrary<JsonValue>,
    fc.array(fc.tuple(keys, tie('tree')), { maxLength: 4 }).map(objectOf),
  ),
}));
const members = fc.array(fc.tuple(keys, tree), { maxLength: 5 });
const objects = fc
  .tuple(members, members, fc.constantFrom<JsonValue | undefined>('Pod', '', undefined))
  .map(([rest, metadata, kind]) => {
    const head: JsonObject = { apiVersion: 'v1', metadata: objectOf(metadata) };
    return { ...objectOf(rest), ...head, ...(kind !== undefined && { kind }) };
  });

function objectOf(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setOwn(object, key, value as JsonValue);
  return object;
}

/** Text that tells apart what JSON does not: undefined members, -0, and the order of keys. */
function exactly(value: JsonValue | undefined): string {
  if (value === undefined) return 'undefined';
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map(exactly).join(',')}]`;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) {
    return typeof value === 'object' && value !== null ? `raw ${value.rawJSON}` : JSON.stringify(value);
  }
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${exactly(member)}`)
    .join(',')}}`;
}

test('it is what parsing gives, or undefined', () => {
  fc.assert(
    fc.property(objects, (object) => {
      const before = exactly(object);
      const form = storedForm(object);
      if (form !== undefined) expect(exactly(form)).toBe(exactly(decodeStored(encodeStored(object))));
      expect(exactly(object)).toBe(before);
    }),
    { numRuns: 600 },
  );
});

test('what it shares with an object that was read is not looked at again', () => {
  fc.assert(
    fc.property(objects, objects, fc.array(fc.nat(3), { maxLength: 3 }), (first, other, kept) => {
      const known = decodeStored(encodeStored(first));
      const next: JsonObject = { ...other };
      for (const index of kept) {
        const key = Object.keys(known)[index];
        if (key !== undefined && key !== 'metadata') setOwn(next, key, known[key] as JsonValue);
      }
      const form = storedForm(next, known);
      if (form !== undefined) expect(exactly(form)).toBe(exactly(decodeStored(encodeStored(next))));
    }),
    { numRuns: 400 },
  );
});

test('objects of plain JSON have one', () => {
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', managedFields: [], labels: { a: 'b' } },
  };
  const form = storedForm({ ...object, spec: { containers: [{ cpu: 0.5, port: 80 }] } });
  expect(JSON.stringify(form)).toBe(
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"b"},"managedFields":[]},' +
      '"spec":{"containers":[{"cpu":0.5,"port":80}]}}',
  );
});

test.each([[-0], [1e17], [Infinity], [undefined], [JSON.rawJSON('12345678901234567890')]])(
  'an object that holds %p has to be parsed',
  (value) => {
    const spec = { list: [{ value: value as JsonValue }] };
    expect(storedForm({ kind: 'A', apiVersion: 'v1', metadata: {}, spec })).toBeUndefined();
  },
);
