/** Deep equality against what the texts of both values say. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepEqual, setOwn } from '../../../src/base/json.ts';

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const { value: anything } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue[]>('x', 1, 0, null, true, JSON.rawJSON('9007199254740993')),
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .array(fc.tuple(names, fc.option(tie('value'), { nil: undefined })), { maxLength: 3 })
      .map((members) => objectOf(members)) as fc.Arbitrary<JsonValue>,
  ),
}));

function objectOf(members: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of members) setOwn(object, name, value as JsonValue);
  return object;
}

/** The text of a value whose members stand in order of their names. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member ?? null)}`)
    .sort()
    .join()}}`;
}

test('two values are equal when their texts are, whatever the order of members', () => {
  let equal = 0;
  fc.assert(
    fc.property(anything, anything, (a, b) => {
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
