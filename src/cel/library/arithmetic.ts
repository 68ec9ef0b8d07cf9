/** Arithmetic (language definition, "Numeric Values", "Overflow"): whole numbers have 64 bits and never wrap. */
import { EvaluationError } from '../language/errors.ts';
import { global, type Overload } from '../language/functions.ts';
import { Duration, Timestamp, Uint } from '../language/values.ts';

/** @throws EvaluationError if the number needs more than 64 bits */
export function int64(value: bigint): bigint {
  if (value !== BigInt.asIntN(64, value)) throw new EvaluationError('integer overflow');
  return value;
}

/** @throws EvaluationError if the number is negative or needs more than 64 bits */
export function uint64(value: bigint): Uint {
  if (value !== BigInt.asUintN(64, value)) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z. */
const minNanos = -62_135_596_800_000_000_000n;
const maxNanos = 253_402_300_799_999_999_999n;

/** @throws EvaluationError outside of the years 1 to 9999 */
export function timestampOf(nanos: bigint): Timestamp {
  if (nanos < minNanos || nanos > maxNanos) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos);
}

/** @throws EvaluationError beyond 292 years */
export function durationOf(nanos: bigint): Duration {
  if (nanos !== BigInt.asIntN(64, nanos)) throw new EvaluationError('duration overflow');
  return new Duration(nanos);
}

function nonZero(divisor: bigint, what: string): bigint {
  if (divisor === 0n) throw new EvaluationError(what);
  return divisor;
}

const byZero = 'division by zero';
const modulusByZero = 'modulus by zero';

const ints: readonly Overload[] = [
  global('_+_', 'add_int64', 'int, int -> int', (_run, a: bigint, b: bigint) => int64(a + b)),
  global('_-_', 'subtract_int64', 'int, int -> int', (_run, a: bigint, b: bigint) => int64(a - b)),
  global('_*_', 'multiply_int64', 'int, int -> int', (_run, a: bigint, b: bigint) => int64(a * b)),
  global('_/_', 'divide_int64', 'int, int -> int', (_run, a: bigint, b: bigint) =>
    int64(a / nonZero(b, byZero)),
  ),
  global('_%_', 'modulo_int64', 'int, int -> int', (_run, a: bigint, b: bigint) =>
    int64(a % nonZero(b, modulusByZero)),
  ),
  global('-_', 'negate_int64', 'int -> int', (_run, a: bigint) => int64(-a)),
];

const uints: readonly Overload[] = [
  global('_+_', 'add_uint64', 'uint, uint -> uint', (_run, a: Uint, b: Uint) => uint64(a.value + b.value)),
  global('_-_', 'subtract_uint64', 'uint, uint -> uint', (_run, a: Uint, b: Uint) =>
    uint64(a.value - b.value),
  ),
  global('_*_', 'multiply_uint64', 'uint, uint -> uint', (_run, a: Uint, b: Uint) =>
    uint64(a.value * b.value),
  ),
  global('_/_', 'divide_uint64', 'uint, uint -> uint', (_run, a: Uint, b: Uint) =>
    uint64(a.value / nonZero(b.value, byZero)),
  ),
  global('_%_', 'modulo_uint64', 'uint, uint -> uint', (_run, a: Uint, b: Uint) =>
    uint64(a.value % nonZero(b.value, modulusByZero)),
  ),
];

const doubles: readonly Overload[] = [
  global('_+_', 'add_double', 'double, double -> double', (_run, a: number, b: number) => a + b),
  global('_-_', 'subtract_double', 'double, double -> double', (_run, a: number, b: number) => a - b),
  global('_*_', 'multiply_double', 'double, double -> double', (_run, a: number, b: number) => a * b),
  global('_/_', 'divide_double', 'double, double -> double', (_run, a: number, b: number) => a / b),
  global('-_', 'negate_double', 'double -> double', (_run, a: number) => -a),
];

const times: readonly Overload[] = [
  global('_+_', 'add_duration_duration', 'duration, duration -> duration', (_run, a: Duration, b: Duration) =>
    durationOf(a.nanos + b.nanos),
  ),
  global(
    '_+_',
    'add_timestamp_duration',
    'timestamp, duration -> timestamp',
    (_run, a: Timestamp, b: Duration) => timestampOf(a.nanos + b.nanos),
  ),
  global(
    '_+_',
    'add_duration_timestamp',
    'duration, timestamp -> timestamp',
    (_run, a: Duration, b: Timestamp) => timestampOf(a.nanos + b.nanos),
  ),
  global(
    '_-_',
    'subtract_duration_duration',
    'duration, duration -> duration',
    (_run, a: Duration, b: Duration) => durationOf(a.nanos - b.nanos),
  ),
  global(
    '_-_',
    'subtract_timestamp_duration',
    'timestamp, duration -> timestamp',
    (_run, a: Timestamp, b: Duration) => timestampOf(a.nanos - b.nanos),
  ),
  global(
    '_-_',
    'subtract_timestamp_timestamp',
    'timestamp, timestamp -> duration',
    (_run, a: Timestamp, b: Timestamp) => durationOf(a.nanos - b.nanos),
  ),
];

export const arithmetic: readonly Overload[] = [...ints, ...uints, ...doubles, ...times];
