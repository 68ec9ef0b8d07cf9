/** Timestamps and durations as texts: RFC 3339 with nanoseconds, and Go's durations. */
import { parseDuration } from '../../base/duration.ts';
import { EvaluationError } from '../language/errors.ts';
import type { Timestamp } from '../language/values.ts';
import { Duration } from '../language/values.ts';
import { timestampOf } from './arithmetic.ts';

const syntax =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const million = 1_000_000n;

/** @throws EvaluationError if the text is no time, or one outside of the years 1 to 9999 */
export function readTimestamp(text: string): Timestamp {
  const match = text.length > 100 ? null : syntax.exec(text);
  if (!match) throw invalidTime(text);
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] =
    match;
  const wall = new Date(0);
  wall.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  wall.setUTCHours(Number(hour), Number(minute), Number(second));
  const isReal =
    wall.getUTCDate() === Number(day) && wall.getUTCSeconds() === Number(second) && Number(minute) < 60;
  if (!isReal || Number(hour) > 23 || Number(zoneHour) > 23 || Number(zoneMinute) > 59)
    throw invalidTime(text);
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000;
  return timestampOf(BigInt(wall.getTime() - offset) * million + BigInt(fraction.padEnd(9, '0')));
}

function invalidTime(text: string): EvaluationError {
  return new EvaluationError(
    `invalid timestamp ${JSON.stringify(text.slice(0, 50))}: give a time such as 2006-01-02T15:04:05Z`,
  );
}

/** In UTC, with as many decimals as needed. */
export function timestampText({ nanos }: Timestamp): string {
  const { milliseconds, rest } = splitNanos(nanos);
  const fraction = (BigInt(((milliseconds % 1000) + 1000) % 1000) * million + rest)
    .toString()
    .padStart(9, '0')
    .replace(/0+$/, '');
  const seconds = new Date(milliseconds).toISOString().slice(0, 19);
  return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

/** Milliseconds, rounded down, and the nanoseconds beyond. */
export function splitNanos(nanos: bigint): { readonly milliseconds: number; readonly rest: bigint } {
  const rest = ((nanos % million) + million) % million;
  return { milliseconds: Number((nanos - rest) / million), rest };
}

/** @throws EvaluationError if the text is no duration */
export function readDuration(text: string): Duration {
  const nanos = parseDuration(text);
  if (nanos === undefined)
    throw new EvaluationError(
      `invalid duration ${JSON.stringify(text.slice(0, 50))}: give one such as 1h30m`,
    );
  return new Duration(nanos);
}

/** In seconds: `90s`, `0.5s`. */
export function durationText({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  const seconds = String(size / 1_000_000_000n);
  return `${nanos < 0n ? '-' : ''}${seconds}${fraction === '' ? '' : `.${fraction}`}s`;
}
