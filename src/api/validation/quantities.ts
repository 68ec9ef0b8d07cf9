/** Quantities (`500m`, `1Gi`) inside objects, as text. */
import { setOwn } from '../../base/json.ts';
import { invalid } from '../../meta/field-error.ts';
import {
  compareQuantities as compare,
  formatQuantity,
  parseQuantity,
  roundUpToMilli,
} from '../../meta/quantity.ts';
import type { Rule } from './rules.ts';

/** Whole or in thousandths, as nearly all amounts are: nothing to round. */
const plainAmount = /^[0-9]{1,9}(?:[mkMG]|[KMG]i)?$/;

const zero = { nanos: 0n, format: 'DecimalSI' } as const;

export function isQuantity(value: string): boolean {
  return parseQuantity(value) !== undefined;
}

/** Order of two quantities; what is no quantity counts as zero. */
export function compareQuantities(a: string, b: string): number {
  return compare(parseQuantity(a) ?? zero, parseQuantity(b) ?? zero);
}

export function isNegative(value: string): boolean {
  return compareQuantities(value, '0') < 0;
}

/** True when nothing is left behind the point. */
export function isWhole(value: string): boolean {
  return (parseQuantity(value) ?? zero).nanos % 1_000_000_000n === 0n;
}

const isQuantityText: Rule<string> = (value, path) =>
  isQuantity(value) ? [] : [invalid(path, value, 'must be a quantity')];

/** Well-formed and not negative. */
export const quantity: Rule<string> = (value, path) => {
  const amount = parseQuantity(value);
  if (amount === undefined) return [invalid(path, value, 'must be a quantity')];
  return amount.nanos < 0n ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
};

/** Well-formed and above zero. */
export const positiveQuantity: Rule<string> = (value, path) =>
  isQuantity(value) && compareQuantities(value, '0') <= 0
    ? [invalid(path, value, 'must be greater than zero')]
    : isQuantityText(value, path);

/** Resources are counted in thousandths: finer amounts are rounded up. Mutates. */
export function roundUpQuantities(list: Record<string, string>): void {
  for (const name of Object.keys(list)) {
    const text = list[name] ?? '';
    if (plainAmount.test(text)) continue;
    const amount = parseQuantity(text);
    if (amount && amount.nanos % 1_000_000n !== 0n)
      setOwn(list, name, formatQuantity(roundUpToMilli(amount)));
  }
}
