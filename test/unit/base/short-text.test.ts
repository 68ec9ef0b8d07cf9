import { quoted, shortPath, shortText } from '../../../src/base/short-text.ts';

test('what is short stays as it is', () => {
  expect(shortText('abc', 3)).toBe('abc');
  expect(quoted('a"b')).toBe('"a\\"b"');
  expect(quoted({ a: [1] })).toBe('{"a":[1]}');
  expect(shortPath('spec.containers[0].image')).toBe('spec.containers[0].image');
});

test('what is long is cut, and no character is cut in two', () => {
  expect(shortText('abcd', 3)).toBe('abc…');
  expect(shortText('ab😀d', 3)).toBe('ab…');
  expect(quoted('x'.repeat(3_000_000))).toBe(`"${'x'.repeat(499)}…`);
  expect(quoted(['\u0000'.repeat(3_000)]).length).toBe(501);
});

test('a long path has its beginning and its end', () => {
  const path = shortPath(`spec.${'x'.repeat(5_000)}.image`);
  expect(path).toMatch(/^spec\.x+…x+\.image$/);
  expect(path.length).toBe(1_001);
});
