/** `'%s has %d'.format([name, count])`. */
import { EvaluationError } from '../language/errors.ts';
import { runtimeTypeName } from '../language/types.ts';
import type { CelValue } from '../language/values.ts';
import { CelList, CelMap, Duration, Timestamp, TypeValue, Uint } from '../language/values.ts';
import type { Run } from '../run/run.ts';
import { sizeIn, typeNameOf } from '../run/equality.ts';
import { decimalText } from './double-text.ts';
import { durationText, timestampText } from './time-text.ts';

const clause = /%(?:\.(\d{0,5}))?(.?)/gs;

const defaultPrecision = 6;
const maxPrecision = 100;

/** @throws EvaluationError if an argument is missing, or is of a type that the clause does not take */
export function formatText(run: Run, text: string, args: CelList): string {
  let used = 0;
  return text.replace(clause, (whole: string, precision: string | undefined, verb: string) => {
    if (whole === '%%') return '%';
    if (used >= args.size) throw new EvaluationError(`index ${String(used)} out of range`);
    used += 1;
    return formatClause(run, args.at(used - 1), { verb, precision });
  });
}

interface Clause {
  readonly verb: string;
  readonly precision: string | undefined;
}

function formatClause(run: Run, value: CelValue, { verb, precision }: Clause): string {
  const digits = precision === undefined ? defaultPrecision : Number(precision);
  if (digits > maxPrecision) throw new EvaluationError(`a precision may be ${String(maxPrecision)} at most`);
  switch (verb) {
    case 's':
      return plainText(run, value);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, digits);
    case 'e':
      return scientific(value, digits);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : wholeOf(value, 'binary').toString(2);
    case 'o':
      return wholeOf(value, 'octal').toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new EvaluationError(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
}

/** Values as `%s` writes them. */
function plainText(run: Run, value: CelValue): string {
  run.work(1);
  if (typeof value === 'string') return value;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return runtimeTypeName(value.type);
  if (value instanceof CelList) return `[${texts(run, value).join(', ')}]`;
  if (value instanceof CelMap) return mapText(run, value);
  throw unsupported('string', value);
}

function texts(run: Run, list: CelList): string[] {
  return Array.from({ length: list.size }, (_, i) => plainText(run, list.at(i)));
}

function mapText(run: Run, map: CelMap): string {
  sizeIn(run, map);
  const entries = Array.from(map.keys(), (key) => {
    return `${plainText(run, key)}: ${plainText(run, map.get(key) ?? null)}`;
  });
  return `{${entries.sort().join(', ')}}`;
}

function unsupported(clauseName: string, value: CelValue): EvaluationError {
  return new EvaluationError(
    `error during formatting: ${clauseName} clause cannot be used on ${typeNameOf(value)}`,
  );
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return decimalText(value);
  return notFinite(value);
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function decimal(value: CelValue): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return notFinite(value);
    throw unsupported('decimal', value);
  }
  return wholeOf(value, 'decimal').toString();
}

function wholeOf(value: CelValue, clauseName: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw unsupported(clauseName, value);
}

function doubleOf(value: CelValue, clauseName: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  throw unsupported(clauseName, value);
}

function fixed(value: CelValue, digits: number): string {
  const number = doubleOf(value, 'fixed-point');
  if (!Number.isFinite(number)) return notFinite(number);
  if (Math.abs(number) >= 1e21)
    return `${BigInt(number).toString()}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  return digits === 0 ? halfEven(number) : number.toFixed(digits);
}

/** To a whole number; a half goes to the even one. */
function halfEven(number: number): string {
  const floor = Math.floor(number);
  const isHalf = number - floor === 0.5;
  return isHalf ? String(floor % 2 === 0 ? floor : floor + 1) : number.toFixed(0);
}

function scientific(value: CelValue, digits: number): string {
  const number = doubleOf(value, 'scientific');
  if (!Number.isFinite(number)) return notFinite(number);
  const [mantissa = '', exponent = '+0'] = number.toExponential(digits).split('e');
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return wholeOf(value, 'hexadecimal').toString(16);
}
