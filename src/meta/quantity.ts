/**
 * Quantities: `500m`, `1.5Gi`, `2e3`. Held exactly as nano units in a BigInt; finer parts are rounded away from
 * zero, magnitudes stop at 2^63-1. Each keeps the family of suffixes that it was written in.
 */

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** The value times 10^9. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const syntax = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;
/** Already canonical, and by far the most common: up to three digits and a suffix. */
const canonicalSyntax = /^[1-9][0-9]{0,2}(?:[numkMGTP]|[KMGTP]i)?$/;

const nano = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * nano;
/** Longer texts and larger exponents say nothing that fits the range; working them out would cost seconds. */
const maxLength = 100;
const maxExponent = 60;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * A cluster writes a few quantities again and again: parsing them each time was 6 % of the processor time of a pod's
 * update. A full cache starts over.
 */
const read = new Map<string, Quantity>();
const maxRead = 4_096;

/** Reads a quantity; undefined when the text is none, or has an exponent that no quantity needs. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > maxLength) return undefined;
  const known = read.get(text);
  if (known !== undefined) return known;
  const quantity = readQuantity(text);
  if (quantity === undefined) return undefined;
  if (read.size >= maxRead) read.clear();
  read.set(text, quantity);
  return quantity;
}

function readQuantity(text: string): Quantity | undefined {
  const match = syntax.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const unit = readSuffix(suffix);
  if (Math.abs(unit.exponent) > maxExponent) return undefined;
  const scaled = BigInt(whole + fraction) * unit.factor;
  const magnitude = limit(shiftUp(scaled, unit.exponent + 9 - fraction.length));
  return { nanos: sign === '-' ? -magnitude : magnitude, format: unit.format };
}

interface Unit {
  readonly format: QuantityFormat;
  readonly factor: bigint;
  /** Power of ten beside the factor. */
  readonly exponent: number;
}

function readSuffix(suffix: string): Unit {
  if (suffix.endsWith('i')) {
    return { format: 'BinarySI', factor: 1024n ** BigInt(binarySuffixes.indexOf(suffix)), exponent: 0 };
  }
  const place = decimalSuffixes.indexOf(suffix);
  if (place >= 0) return { format: 'DecimalSI', factor: 1n, exponent: 3 * (place - 3) };
  return { format: 'DecimalExponent', factor: 1n, exponent: Number(suffix.slice(1)) };
}

/** Times a power of ten; what falls below one is rounded up. */
function shiftUp(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  return divideUp(value, 10n ** BigInt(-power));
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function limit(magnitude: bigint): bigint {
  return magnitude > largest ? largest : magnitude;
}

/** The one way to write a quantity: no fraction, the largest suffix that divides it. */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (format === 'BinarySI' && magnitude % nano === 0n && magnitude >= 1024n * nano) {
    return sign + formatBinary(magnitude / nano);
  }
  return sign + formatDecimal(magnitude, format === 'DecimalExponent');
}

function formatBinary(value: bigint): string {
  let power = 0;
  let rest = value;
  while (rest % 1024n === 0n && power < binarySuffixes.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${String(rest)}${binarySuffixes[power] ?? ''}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let place = 0;
  let rest = nanos;
  while (rest % 1000n === 0n && place < decimalSuffixes.length - 1) {
    rest /= 1000n;
    place++;
  }
  const exponent = 3 * (place - 3);
  if (!asExponent) return `${String(rest)}${decimalSuffixes[place] ?? ''}`;
  return exponent === 0 ? String(rest) : `${String(rest)}e${String(exponent)}`;
}

/** The canonical text of a quantity as written; undefined when it is none. */
export function canonicalQuantity(text: string): string | undefined {
  if (canonicalSyntax.test(text)) return text;
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

/** Negative, zero or positive as a is less than, equal to or more than b. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum, in the format of the first; a zero takes the format of the other. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const sum = a.nanos + b.nanos;
  const nanos = sum < 0n ? -limit(-sum) : limit(sum);
  return { nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Rounded up (away from zero) to thousandths, the smallest unit of resource amounts. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  return { nanos: roundUp(quantity.nanos, 1_000_000n) * 1_000_000n, format: quantity.format };
}

/** The whole value, rounded up (away from zero). */
export function wholeValue(quantity: Quantity): bigint {
  return roundUp(quantity.nanos, nano);
}

/** The value in thousandths, rounded up (away from zero). */
export function milliValue(quantity: Quantity): bigint {
  return roundUp(quantity.nanos, 1_000_000n);
}

function roundUp(nanos: bigint, unit: bigint): bigint {
  return nanos < 0n ? -divideUp(-nanos, unit) : divideUp(nanos, unit);
}
