/** Quantities (`500m`, `1Gi`) inside objects. */
import { invalid } from '../../meta/field-error.ts';
import type { Rule } from './rules.ts';

const pattern =
  /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:([eE])([+-]?\d{1,2})|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/;
const nano = 9;
const decimalPower: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySteps = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The amount in billionths, rounded up. */
function nanos(text: string): bigint | undefined {
  const match = pattern.exec(text);
  if (!match || !((match[2] ?? '') + (match[3] ?? ''))) return undefined;
  const [, sign, whole = '', fraction = '', , exponent, suffix = ''] = match;
  const power =
    nano - fraction.length + (exponent === undefined ? (decimalPower[suffix] ?? 0) : Number(exponent));
  const binary = 1024n ** BigInt(Math.max(0, binarySteps.indexOf(suffix)));
  const digits = BigInt(whole + fraction) * binary;
  const scaled = power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
  return sign === '-' ? -scaled : scaled;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

export function isQuantity(value: string): boolean {
  return nanos(value) !== undefined;
}

/** Order of two quantities; what is no quantity counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const left = nanos(a) ?? 0n;
  const right = nanos(b) ?? 0n;
  return left < right ? -1 : left > right ? 1 : 0;
}

export function isNegative(value: string): boolean {
  return compareQuantities(value, '0') < 0;
}

export function isWhole(value: string): boolean {
  return (nanos(value) ?? 0n) % 10n ** BigInt(nano) === 0n;
}

/** Well-formed and not negative. */
export const quantity: Rule<string> = (value, path) => {
  if (!isQuantity(value)) return [invalid(path, value, 'must be a quantity')];
  return isNegative(value) ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
};

/** Well-formed and above zero. */
export const positiveQuantity: Rule<string> = (value, path) => {
  if (!isQuantity(value)) return [invalid(path, value, 'must be a quantity')];
  return compareQuantities(value, '0') <= 0 ? [invalid(path, value, 'must be greater than zero')] : [];
};

/** Resources are counted in thousandths: finer amounts are rounded up. Mutates. */
export function roundUpQuantities(list: Record<string, string>): void {
  for (const [name, text] of Object.entries(list)) {
    const amount = nanos(text);
    if (amount !== undefined && amount % 1_000_000n !== 0n) {
      list[name] = `${String(divideUp(amount, 1_000_000n))}m`;
    }
  }
}
