/** Walking over JSON text: where strings end, whatever is escaped in them, and how deep values nest. */
import { nestsDeeper, stringEnd } from '../../../src/codec/json-bytes.ts';

/** Pieces of strings: runs of plain bytes around the length that is looked at one by one, quotes and backslashes. */
const pieces = [
  '',
  'a',
  'b'.repeat(62),
  'c'.repeat(63),
  'd'.repeat(64),
  'e'.repeat(65),
  'f'.repeat(200),
  'ü€😀',
];
const marks = ['', '"', '\\', '\\\\', '\\"', '\\\\"', '\\\\\\"', '\\\\\\\\'.repeat(20)];

test('a string ends at the first quote that is not escaped', () => {
  const parts = pieces.flatMap((piece) => marks.map((mark) => piece + mark));
  const values = parts.flatMap((part) => parts.map((other) => part + other));
  const wrong = values.filter((value) => {
    const text = JSON.stringify(value);
    return stringEnd(Buffer.from(`[${text},"x"]`), 1) !== Buffer.byteLength(text);
  });
  expect([values.length, wrong]).toEqual([4_096, []]);
});

test('a string that does not end, ends beyond the text', () => {
  for (const text of ['"', '"a', `"${'a'.repeat(200)}`, `"${'a'.repeat(200)}\\"`, `"${'a'.repeat(63)}\\`])
    expect(stringEnd(Buffer.from(text), 0)).toBeGreaterThanOrEqual(Buffer.byteLength(text));
});

test('levels are counted outside of strings, and values beside each other do not add', () => {
  const nested = (levels: number): string => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
  const text = `{"x":"${'['.repeat(1_000)}\\"{","y":[${nested(4)},${nested(4)}]}`;
  expect([9, 10].map((most) => nestsDeeper(Buffer.from(text), most))).toEqual([true, false]);
  expect(nestsDeeper(Buffer.from('['.repeat(100_000)), 1_000)).toBe(true);
});
