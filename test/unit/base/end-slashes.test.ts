/** Slashes at the end of paths, also of those with very many elsewhere. */
import { withoutEndSlashes } from '../../../src/base/end-slashes.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';

test.each([
  ['', ''],
  ['/', ''],
  ['/a', '/a'],
  ['/a//b///', '/a//b'],
])('%s', (path, expected) => {
  expect(withoutEndSlashes(path)).toBe(expected);
});

test('a row of slashes within a path', () => {
  const path = `/livez${'/'.repeat(60_000)}x`;
  expect(cpuMsOf(() => withoutEndSlashes(path))).toBeLessThan(cpuBudget(20));
});
