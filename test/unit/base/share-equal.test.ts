import fc from 'fast-check';

import { deepCopy, deepEqual, isObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { shareEqual } from '../../../src/base/share-equal.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, '', 'x', true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => {
    const text = members.map(([name, member]) => `"${name}":${JSON.stringify(member)}`).join();
    return JSON.parse(`{${text}}`) as JsonObject;
  }),
}));
const object = value.filter(isObject);

test('gives what deepEqual says, and leaves both sides as they were to the eye', () => {
  fc.assert(
    fc.property(object, object, (next, before) => {
      const [nextAsWas, beforeAsWas] = [deepCopy(next), deepCopy(before)];
      expect(shareEqual(next, before)).toBe(deepEqual(nextAsWas, beforeAsWas));
      expect(JSON.stringify(before)).toBe(JSON.stringify(beforeAsWas));
      expect(deepEqual(next, nextAsWas)).toBe(true);
      expect(Object.keys(next)).toEqual(Object.keys(nextAsWas));
    }),
  );
});

test('what is equal below a difference is the same object', () => {
  const make = (image: string): JsonObject => ({
    spec: { containers: [{ image, ports: [{ port: 1 }] }, { image: 'other' }], selector: { app: 'x' } },
  });
  const [next, before] = [make('new'), make('old')] as Record<string, Record<string, JsonValue>>[];
  expect(shareEqual(next as JsonObject, before as JsonObject)).toBe(false);
  const [nextList, beforeList] = [next, before].map((o) => o!['spec']!['containers'] as JsonObject[]);
  expect(nextList).not.toBe(beforeList);
  expect(nextList![0]!['ports']).toBe(beforeList![0]!['ports']);
  expect(nextList![1]).toBe(beforeList![1]);
  expect(next!['spec']!['selector']).toBe(before!['spec']!['selector']);
});
