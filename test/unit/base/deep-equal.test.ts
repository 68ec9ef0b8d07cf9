/** Equality of JSON values: whatever the order of keys, the quick way and the slow one say the same. */
import fc from 'fast-check';
import { deepCopy, deepEqual, setOwn, type JsonObject, type JsonValue } from '../../../src/base/json.ts';

const keys = fc.constantFrom('a', 'b', 'c', '1', '__proto__', 'constructor', 'rawJSON');
const { tree } = fc.letrec<{ tree: JsonValue | undefined }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue | undefined>(
      null,
      undefined,
      '',
      '1',
      0,
      1,
      true,
      JSON.rawJSON('1'),
      JSON.rawJSON('9007199254740993'),
    ),
    fc.array(tie('tree'), { maxLength: 2 }) as fc.Arbitrary<JsonValue>,
    fc.array(fc.tuple(keys, tie('tree')), { maxLength: 3 }).map(objectOf),
  ),
}));

function objectOf(members: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of members) setOwn(object, key, value as JsonValue);
  return object;
}

/** Text in which equal values are equal: sorted, without undefined members. */
function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return '-';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (JSON.isRawJSON(value)) return `raw${value.rawJSON}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .map(([key, member]) => `${key}:${canonical(member)}`)
    .sort()
    .join(',')}}`;
}

function reversed(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => reversed(item) as JsonValue);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return objectOf(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)] as const),
  );
}

test('two values are equal when their sorted texts are', () => {
  let equal = 0;
  fc.assert(
    fc.property(tree, tree, (a, b) => {
      expect(deepEqual(a, b)).toBe(canonical(a) === canonical(b));
      if (deepEqual(a, b)) equal += 1;
    }),
    { numRuns: 5_000 },
  );
  expect(equal).toBeGreaterThan(50);
});

test('members in another order at every level are each compared once', () => {
  let [a, b]: JsonObject[] = [{ x: 1 }, { x: 1 }];
  for (let depth = 0; depth < 200; depth += 1)
    [a, b] = [
      { a: a!, y: 1, z: 2 },
      { a: b!, z: 2, y: 1 },
    ];
  expect(deepEqual(a, b)).toBe(true);
});

test('a value equals its copy, and itself with its keys in another order', () => {
  fc.assert(
    fc.property(tree, (value) => {
      expect(deepEqual(value, reversed(value))).toBe(true);
      if (value !== undefined && !canonical(value).includes('-'))
        expect(deepEqual(deepCopy(value), value)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
