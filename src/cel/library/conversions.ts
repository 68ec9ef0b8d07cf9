/** Conversions between types (language definition, "List of Standard Definitions"). */
import { EvaluationError } from '../language/errors.ts';
import { global, type CallCost, type Overload } from '../language/functions.ts';
import type { CelValue } from '../language/values.ts';
import { Duration, Timestamp, TypeValue, typeOfValue, Uint } from '../language/values.ts';
import { sizeOf } from '../run/equality.ts';
import { int64, timestampOf, uint64 } from './arithmetic.ts';
import { decimalText, readDouble } from './double-text.ts';
import { durationText, readDuration, readTimestamp, timestampText } from './time-text.ts';

/** The text is read, or written, as a whole. */
const wholeText: CallCost = (text: CelValue) => Math.ceil(sizeOf(text) * 0.1);

const nanosPerSecond = 1_000_000_000n;

function wholeOf(value: number): bigint {
  if (!Number.isFinite(value)) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

/** Doubles at the very ends are not exact, so that they are refused. */
function intOfDouble(value: number): bigint {
  if (!(value > -9223372036854775808 && value < 9223372036854775808))
    throw new EvaluationError('integer overflow');
  return wholeOf(value);
}

function uintOfDouble(value: number): Uint {
  if (!(value > -1 && value < 18446744073709551616)) throw new EvaluationError('unsigned integer overflow');
  return new Uint(wholeOf(value));
}

function wholeText64(text: string, pattern: RegExp, type: string): bigint {
  if (text.length > 40 || !pattern.test(text))
    throw new EvaluationError(`type conversion error from 'string' to '${type}'`);
  return BigInt(text.replace(/^\+/, ''));
}

function secondsOf({ nanos }: Timestamp): bigint {
  // Whole seconds, rounded down.
  const rest = ((nanos % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return (nanos - rest) / nanosPerSecond;
}

const ints: readonly Overload[] = [
  global('int', 'int64_to_int64', 'int -> int', (_run, value: bigint) => value),
  global('int', 'uint64_to_int64', 'uint -> int', (_run, { value }: Uint) => int64(value)),
  global('int', 'double_to_int64', 'double -> int', (_run, value: number) => intOfDouble(value)),
  global('int', 'string_to_int64', 'string -> int', (_run, text: string) =>
    int64(wholeText64(text, /^[+-]?[0-9]+$/, 'int')),
  ),
  global('int', 'timestamp_to_int64', 'timestamp -> int', (_run, value: Timestamp) => secondsOf(value)),
  global('int', 'duration_to_int64', 'duration -> int', (_run, value: Duration) => value.nanos),
  global('uint', 'uint64_to_uint64', 'uint -> uint', (_run, value: Uint) => value),
  global('uint', 'int64_to_uint64', 'int -> uint', (_run, value: bigint) => uint64(value)),
  global('uint', 'double_to_uint64', 'double -> uint', (_run, value: number) => uintOfDouble(value)),
  global('uint', 'string_to_uint64', 'string -> uint', (_run, text: string) =>
    uint64(wholeText64(text, /^[0-9]+$/, 'uint')),
  ),
];

const doubles: readonly Overload[] = [
  global('double', 'double_to_double', 'double -> double', (_run, value: number) => value),
  global('double', 'int64_to_double', 'int -> double', (_run, value: bigint) => Number(value)),
  global('double', 'uint64_to_double', 'uint -> double', (_run, { value }: Uint) => Number(value)),
  global('double', 'string_to_double', 'string -> double', (_run, text: string) => {
    const value = readDouble(text);
    if (value === undefined) throw new EvaluationError("type conversion error from 'string' to 'double'");
    return value;
  }),
];

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

const others: readonly Overload[] = [
  global('bool', 'bool_to_bool', 'bool -> bool', (_run, value: boolean) => value),
  global('bool', 'string_to_bool', 'string -> bool', (_run, text: string) => {
    const value = truths.get(text);
    if (value === undefined) throw new EvaluationError("type conversion error from 'string' to 'bool'");
    return value;
  }),
  global('bytes', 'bytes_to_bytes', 'bytes -> bytes', (_run, value: Uint8Array) => value),
  global('bytes', 'string_to_bytes', 'string -> bytes', (_run, text: string) => Buffer.from(text), wholeText),
  global('dyn', 'to_dyn', 'A -> dyn', (_run, value: CelValue) => value),
  global('type', 'type', 'A -> type(A)', (_run, value: CelValue) => new TypeValue(typeOfValue(value))),
  global('timestamp', 'timestamp_to_timestamp', 'timestamp -> timestamp', (_run, value: Timestamp) => value),
  global('timestamp', 'int64_to_timestamp', 'int -> timestamp', (_run, value: bigint) =>
    timestampOf(value * nanosPerSecond),
  ),
  global('timestamp', 'string_to_timestamp', 'string -> timestamp', (_run, text: string) =>
    readTimestamp(text),
  ),
  global('duration', 'duration_to_duration', 'duration -> duration', (_run, value: Duration) => value),
  global('duration', 'string_to_duration', 'string -> duration', (_run, text: string) => readDuration(text)),
];

function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const texts: readonly Overload[] = [
  global('string', 'string_to_string', 'string -> string', (_run, value: string) => value),
  global('string', 'bool_to_string', 'bool -> string', (_run, value: boolean) => String(value)),
  global('string', 'int64_to_string', 'int -> string', (_run, value: bigint) => String(value)),
  global('string', 'uint64_to_string', 'uint -> string', (_run, { value }: Uint) => String(value)),
  global('string', 'double_to_string', 'double -> string', (_run, value: number) => decimalText(value)),
  global(
    'string',
    'bytes_to_string',
    'bytes -> string',
    (_run, value: Uint8Array) => utf8Text(value),
    wholeText,
  ),
  global('string', 'timestamp_to_string', 'timestamp -> string', (_run, value: Timestamp) =>
    timestampText(value),
  ),
  global('string', 'duration_to_string', 'duration -> string', (_run, value: Duration) =>
    durationText(value),
  ),
];

export const conversions: readonly Overload[] = [...ints, ...doubles, ...others, ...texts];
