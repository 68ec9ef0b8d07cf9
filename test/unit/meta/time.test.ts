import fc from 'fast-check';
import { canonicalMicros, canonicalSeconds, formatSeconds } from '../../../src/meta/time.ts';

test.each([
  ['2006-01-02T15:04:05Z', '2006-01-02T15:04:05Z'],
  ['2006-01-02T15:04:05.999Z', '2006-01-02T15:04:05Z'],
  ['2006-01-02T15:04:05+07:00', '2006-01-02T08:04:05Z'],
  ['2006-01-01T00:30:00-01:45', '2006-01-01T02:15:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
])('%s is %s to the second', (given, expected) => {
  expect(canonicalSeconds(given)).toBe(expected);
});

test.each([
  '',
  'yesterday',
  '2006-01-02',
  '2006-01-02T15:04:05',
  '2006-13-02T15:04:05Z',
  '2023-02-29T00:00:00Z',
  '2006-01-02T24:00:00Z',
  '2006-01-02T15:04:60Z',
  '2006-01-02T15:04:05+25:00',
  '0000-01-01T00:00:00+01:00',
])('%j is no time', (text) => {
  expect(canonicalSeconds(text)).toBeUndefined();
});

test('micro times carry six decimals', () => {
  expect(canonicalMicros('2006-01-02T15:04:05Z')).toBe('2006-01-02T15:04:05.000000Z');
  expect(canonicalMicros('2006-01-02T16:04:05.1234567+01:00')).toBe('2006-01-02T15:04:05.123456Z');
});

test('every instant of JavaScript in years of four digits comes back as itself', () => {
  const instants = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instants, (date) => {
      expect(canonicalSeconds(date.toISOString())).toBe(formatSeconds(date));
    }),
  );
});
