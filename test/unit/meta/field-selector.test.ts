import fc from 'fast-check';
import { parseFieldSelector } from '../../../src/meta/field-selector.ts';
import { StatusError } from '../../../src/meta/status.ts';

const cases: { text: string; want: [string, boolean, string][] }[] = [
  { text: '', want: [] },
  { text: 'a=b', want: [['a', true, 'b']] },
  { text: 'a==b', want: [['a', true, 'b']] },
  { text: 'a!=b', want: [['a', false, 'b']] },
  {
    text: 'a.b=c,d=',
    want: [
      ['a.b', true, 'c'],
      ['d', true, ''],
    ],
  },
  {
    text: 'a=b\\,c,d=e\\=f',
    want: [
      ['a', true, 'b,c'],
      ['d', true, 'e=f'],
    ],
  },
  { text: 'a=b\\\\', want: [['a', true, 'b\\']] },
];

test.each(cases)('$text', ({ text, want }) => {
  expect(parseFieldSelector(text).map((r) => [r.field, r.equals, r.value])).toEqual(want);
});

test.each(['a', '=b', 'a=b\\c', 'a=b=c', 'a b'])('%p is refused with 400', (text) => {
  expect(() => parseFieldSelector(text)).toThrow(StatusError);
});

test('escaped values come back as they were', () => {
  const escape = (value: string): string => value.replace(/[\\,=]/g, '\\$&');
  const value = fc.string().filter((v) => v === v.trim() && !v.includes('\0'));
  fc.assert(
    fc.property(value, value, (a, b) => {
      const parsed = parseFieldSelector(`x=${escape(a)},y!=${escape(b)}`);
      expect(parsed.map((r) => r.value)).toEqual([a, b]);
    }),
  );
});
