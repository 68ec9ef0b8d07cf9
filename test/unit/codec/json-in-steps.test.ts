/** JSON in steps is the text that JSON.stringify gives. */
import type { JsonValue } from '../../../src/base/json.ts';
import { isSmall } from '../../../src/base/is-small.ts';
import { jsonInSteps } from '../../../src/codec/json-in-steps.ts';

const many = <T>(make: (i: number) => T, count = 500): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const values: Record<string, JsonValue> = {
  scalars: ['a', 1, true, null, JSON.rawJSON('12345678901234567890')],
  'an empty object': {},
  'an empty list': [],
  'a long list': many((i) => ({ name: `n${String(i)}\n"`, at: [i, {}] })),
  'a long list of lists': many(() => many((i) => i, 70)),
  'many members': Object.fromEntries(many((i) => [`k\u2028${String(i)}`, i % 2 ? undefined : { a: [i] }])),
  'members without a value': Object.fromEntries(many((i) => [`k${String(i)}`, undefined])),
  'a member __proto__': JSON.parse(`{"__proto__":${JSON.stringify(many((i) => i))}}`) as JsonValue,
  'deep nesting': many((i) => i, 400).reduce<JsonValue>((inner, i) => [inner, i], 'x'),
  'a long text': ['x'.repeat(100_000), many((i) => i)],
};

describe.each(Object.entries(values))('%s', (_, value) => {
  test.each([0, 2])('with an indent of %i', (indent) => {
    const pieces = [...jsonInSteps(value, indent)];
    expect(pieces.join('')).toBe(JSON.stringify(value, undefined, indent));
    if (indent > 0) for (const piece of pieces.slice(1)) expect(piece.startsWith('\n')).toBe(true);
  });
});

test('pieces are short', () => {
  const pieces = [...jsonInSteps(many((i) => ({ name: `item-${String(i)}` }), 10_000))];
  expect(pieces.length).toBeGreaterThan(10);
  for (const piece of pieces) expect(piece.length).toBeLessThan(10_000);
});

test('a value is small with at most so many members and items at all depths', () => {
  expect(isSmall('x', 0)).toBe(true);
  expect(isSmall([1, 2], 2)).toBe(true);
  expect(isSmall([1, [2]], 2)).toBe(false);
  expect(isSmall({ a: { b: [1] } }, 3)).toBe(true);
  expect(isSmall({ a: { b: [1] }, c: 1 }, 3)).toBe(false);
});
