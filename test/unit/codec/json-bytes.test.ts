/** Walking over JSON text: where strings end, whatever is escaped in them. */
import { stringEnd } from '../../../src/codec/json-bytes.ts';

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
