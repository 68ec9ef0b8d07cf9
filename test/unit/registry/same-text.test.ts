import fc from 'fast-check';

import { isSameText } from '../../../src/registry/same-text.ts';

const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test.each([
  ['the same bytes', { a: 1 }, { a: 1 }, true],
  ['another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['another order far apart', { a: 'x'.repeat(2000), b: [1, 2] }, { b: [1, 2], a: 'x'.repeat(2000) }, true],
  ['another order of a list', { a: [1, 2] }, { a: [2, 1] }, false],
  ['the values of two members exchanged', { a: 1, b: 2 }, { a: 2, b: 1 }, false],
  ['one byte', { a: 'x'.repeat(700), b: 1 }, { a: 'x'.repeat(700), b: 2 }, false],
  ['another length', { a: 1 }, { a: 10 }, false],
])('%s', (_what, a, b, isSame) => {
  expect(isSameText(text(a), text(b))).toBe(isSame);
});

test('members in any order say the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.gen(), (object, gen) => {
      const entries = Object.entries(object);
      const order = gen(fc.shuffledSubarray, entries, { minLength: entries.length });
      expect(isSameText(text(Object.fromEntries(entries)), text(Object.fromEntries(order)))).toBe(true);
    }),
  );
});

test('a byte that differs anywhere is seen', () => {
  fc.assert(
    fc.property(fc.nat(1500), (at) => {
      const a = text({ data: 'x'.repeat(1500) });
      const b = Buffer.from(a);
      b[9 + Math.min(at, 1499)] = 0x79;
      expect(isSameText(a, b)).toBe(false);
    }),
  );
});
