import fc from 'fast-check';
import { warningValues } from '../../../src/http/warnings.ts';

/** What a client reads: quoted text with its escapes, and encoded words. */
function textOf(value: string): string {
  const quoted = /^299 - "((?:[^"\\]|\\.)*)"$/.exec(value)?.[1];
  if (quoted === undefined) throw new Error(`no warning: ${value}`);
  const text = quoted.replace(/\\(.)/g, '$1');
  const words = [...text.matchAll(/=\?utf-8\?q\?([^?]*)\?=/g)].map((match) => match[1] ?? '');
  if (words.length === 0) return text;
  expect(words.every((word) => word.length <= 63)).toBe(true);
  const bytes = words
    .join('')
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

test.each([
  ['plain', 'batch/v1beta1 CronJob is deprecated', '299 - "batch/v1beta1 CronJob is deprecated"'],
  ['quotes', 'field "a\\b"', '299 - "field \\"a\\\\b\\""'],
  ['line ends', 'a\r\nSet-Cookie: b', '299 - "a Set-Cookie: b"'],
  ['beyond ASCII', 'Gemüse "x" = y', '299 - "=?utf-8?q?Gem=C3=BCse_=22x=22_=3D_y?="'],
])('%s', (_name, text, value) => {
  expect(warningValues([text])).toEqual([value]);
});

test('any text comes through, control characters aside, in characters that a header may have', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const [value = ''] = warningValues([text]);
      expect(value).toMatch(/^[\u0020-\u007e]+$/);
      const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
      if (!plain.includes('=?')) expect(textOf(value)).toBe(plain.toWellFormed());
    }),
  );
});

test('duplicates are removed; many long ones are cut and bounded', () => {
  expect(warningValues(['a', 'b', 'a'])).toHaveLength(2);
  const long = Array.from({ length: 64 }, (_, i) => `${String(i)} ${'ü'.repeat(1_000)}`);
  const values = warningValues(long);
  expect(values.length).toBeGreaterThan(1);
  expect(values.join('').length).toBeLessThanOrEqual(8_192);
  expect(textOf(values[0] ?? '')).toBe(`0 ${'ü'.repeat(254)}`);
});
