import { isSmall } from '../../../src/base/is-small.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

test('members and items count at all depths', () => {
  const value = { a: [1, 2, { b: null }], c: { d: {} } };
  expect(isSmall(value, 7)).toBe(true);
  expect(isSmall(value, 6)).toBe(false);
  expect(isSmall('text', 0)).toBe(true);
  expect(isSmall([], 0)).toBe(true);
});

test('no more is looked at than is asked for', () => {
  let looks = 0;
  const value = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`a${String(i)}`, { b: 1 }]));
  for (const name of Object.keys(value))
    Object.defineProperty(value, name, { get: () => ((looks += 1), { b: 1 }), enumerable: true });
  expect(isSmall(value, 50)).toBe(false);
  expect(looks).toBe(0);
  expect(isSmall(value, 110)).toBe(false);
  expect(looks).toBeLessThan(20);
});

test('an object with very many members is counted once, whatever stands around it', () => {
  const many: JsonObject = {};
  for (let i = 0; i < 90_000; i += 1) many[`field${String(i)}`] = {};
  const first = cpuMsOf(() => isSmall(many, 64));
  const later = cpuMsOf(() => {
    for (let depth = 0; depth < 5; depth += 1) isSmall({ a: { b: many } }, 64);
  });
  expect(later).toBeLessThan(first);
});
