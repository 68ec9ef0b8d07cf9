/** Doubles as texts, as the reference writes and reads them. */

/** The shortest text that reads as the same number; with an exponent from 10^21 on, and below 10^-4. */
export function decimalText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (value === 0) return '0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 21) return plainText(value, power);
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${digits}e${power < 0 ? '-' : '+'}${size}`;
}

/** JavaScript writes small numbers with an exponent from 10^-7 on only, large ones from 10^21 on. */
function plainText(value: number, power: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(Math.max(0, -power)) : text;
}

const decimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const infinite = /^([+-]?)(?:inf|infinity)$/i;

/** Undefined when the text is no number, or too large for one. */
export function readDouble(text: string): number | undefined {
  if (text.length > 400) return undefined;
  if (decimal.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (/^nan$/i.test(text)) return Number.NaN;
  const [found, sign] = infinite.exec(text) ?? [];
  if (found === undefined) return undefined;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
