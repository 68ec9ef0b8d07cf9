import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  milliValue,
  parseQuantity,
  roundUpToMilli,
  wholeValue,
} from '../../../src/meta/quantity.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';

const at = (text: string) => parseQuantity(text) ?? fail(text);
function fail(text: string): never {
  throw new Error(`${text} is no quantity`);
}

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['0Ki', '0'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['5.', '5'],
  ['+5', '5'],
  ['1500', '1500'],
  ['2000', '2k'],
  ['100k', '100k'],
  ['1000k', '1M'],
  ['1.5Gi', '1536Mi'],
  ['1024Mi', '1Gi'],
  ['0.5Ki', '512'],
  ['1.0001Ki', '1024102400u'],
  ['1e3', '1e3'],
  ['1E3', '1e3'],
  ['1e4', '10e3'],
  ['12e-1', '1200e-3'],
  ['1E', '1E'],
  ['100E', '9223372036854775807'],
  ['8Ei', '9223372036854775807'],
  ['-8Ei', '-9223372036854775807'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['123456789012345678901234567890', '9223372036854775807'],
])('%s is written %s', (given, expected) => {
  expect(canonicalQuantity(given)).toBe(expected);
});

test.each([
  '',
  '.',
  '1ki',
  '1K',
  '1 Gi',
  '1e',
  '1e+',
  '--1',
  '1.2.3',
  'Gi',
  '1mi',
  '０',
  '1\n',
  '0x10',
  '1e61',
])('%j is no quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test('an enormous exponent or number of digits is refused without being worked out', () => {
  const enormous = ['1e999999999', '1e-999999999', `1e${'9'.repeat(1_000_000)}`, '9'.repeat(1_000_000)];
  const took = cpuMsOf(() => {
    for (const text of enormous) expect(parseQuantity(text)).toBeUndefined();
  });
  expect(took).toBeLessThan(cpuBudget(500));
});

test('quantities are compared and added by value, whatever their suffix', () => {
  expect(compareQuantities(at('1Gi'), at('1024Mi'))).toBe(0);
  expect(compareQuantities(at('1'), at('1001m'))).toBeLessThan(0);
  expect(compareQuantities(at('1Ki'), at('1k'))).toBeGreaterThan(0);
  expect(formatQuantity(addQuantities(at('500m'), at('1.5')))).toBe('2');
  expect(formatQuantity(addQuantities(at('0'), at('64Mi')))).toBe('64Mi');
});

test('whole and milli values are rounded away from zero', () => {
  expect(wholeValue(at('1001m'))).toBe(2n);
  expect(wholeValue(at('-1001m'))).toBe(-2n);
  expect(milliValue(at('1500u'))).toBe(2n);
  expect(formatQuantity(roundUpToMilli(at('1n')))).toBe('1m');
});

const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-3');
const digits = fc.bigInt({ min: 0n, max: 10n ** 12n }).map(String);
const written = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, fc.option(digits, { nil: undefined }), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction ? `.${fraction}` : ''}${unit}`);

test('writing and reading again gives the same value, and the canonical form is a fixed point', () => {
  fc.assert(
    fc.property(written, (text) => {
      const quantity = at(text);
      const canonical = formatQuantity(quantity);
      expect(compareQuantities(at(canonical), quantity)).toBe(0);
      expect(canonicalQuantity(canonical)).toBe(canonical);
      expect(canonicalQuantity(text)).toBe(canonical);
    }),
  );
});

test('any text is answered', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const canonical = canonicalQuantity(text);
      if (canonical !== undefined) expect(canonicalQuantity(canonical)).toBe(canonical);
    }),
  );
});
