/** Parts of timestamps and durations, in UTC or in a time zone. */
import { LRUCache } from 'lru-cache';

import { EvaluationError } from '../language/errors.ts';
import { member, type Overload } from '../language/functions.ts';
import type { Duration, Timestamp } from '../language/values.ts';
import type { Run } from '../run/run.ts';
import { splitNanos } from './time-text.ts';

/** A date whose UTC fields are those of the clock on the wall. */
type WallTime = (milliseconds: number) => Date;

const fixedZone = /^([+-]?)(\d{1,2}):(\d{2})$/;

/** How long they take, in steps: the clock is looked at every few hundred of them. */
const workOfZone = 20;
const workOfFormat = 500;

/** Making one takes a tenth of a millisecond. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

/** @throws EvaluationError if there is no such zone */
function wallTimeOf(run: Run, zone: string): WallTime {
  const fixed = fixedZone.exec(zone);
  if (fixed) {
    const [, sign, hours, minutes] = fixed;
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    return (milliseconds) => new Date(milliseconds + offset);
  }
  if (zone === 'UTC' || zone === '') return (milliseconds) => new Date(milliseconds);
  run.work(workOfZone);
  const format = formatOf(run, zone);
  return (milliseconds) => {
    const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const wall = new Date(0);
    wall.setUTCFullYear(part('year'), part('month') - 1, part('day'));
    wall.setUTCHours(part('hour'), part('minute'), part('second'), ((milliseconds % 1000) + 1000) % 1000);
    return wall;
  };
}

function formatOf(run: Run, timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  run.work(workOfFormat);
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    formats.set(timeZone, format);
    return format;
  } catch {
    throw new EvaluationError(`unknown time zone ${JSON.stringify(timeZone.slice(0, 50))}`);
  }
}

function dayOfYear(wall: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(wall.getUTCFullYear(), 0, 1);
  return Math.floor((wall.getTime() - start.getTime()) / 86_400_000);
}

const parts: readonly (readonly [name: string, id: string, part: (wall: Date) => number])[] = [
  ['getFullYear', 'timestamp_to_year', (wall) => wall.getUTCFullYear()],
  ['getMonth', 'timestamp_to_month', (wall) => wall.getUTCMonth()],
  ['getDayOfYear', 'timestamp_to_day_of_year', dayOfYear],
  ['getDayOfMonth', 'timestamp_to_day_of_month', (wall) => wall.getUTCDate() - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', (wall) => wall.getUTCDate()],
  ['getDayOfWeek', 'timestamp_to_day_of_week', (wall) => wall.getUTCDay()],
  ['getHours', 'timestamp_to_hours', (wall) => wall.getUTCHours()],
  ['getMinutes', 'timestamp_to_minutes', (wall) => wall.getUTCMinutes()],
  ['getSeconds', 'timestamp_to_seconds', (wall) => wall.getUTCSeconds()],
  ['getMilliseconds', 'timestamp_to_milliseconds', (wall) => wall.getUTCMilliseconds()],
];

const ofTimestamps = parts.flatMap(([name, id, part]) => [
  member(name, id, 'timestamp -> int', (_run, { nanos }: Timestamp) =>
    BigInt(part(new Date(splitNanos(nanos).milliseconds))),
  ),
  member(name, `${id}_with_tz`, 'timestamp, string -> int', (run, { nanos }: Timestamp, zone: string) =>
    BigInt(part(wallTimeOf(run, zone)(splitNanos(nanos).milliseconds))),
  ),
]);

const units: readonly (readonly [name: string, id: string, nanos: bigint])[] = [
  ['getHours', 'duration_to_hours', 3_600_000_000_000n],
  ['getMinutes', 'duration_to_minutes', 60_000_000_000n],
  ['getSeconds', 'duration_to_seconds', 1_000_000_000n],
];

const ofDurations = [
  ...units.map(([name, id, size]) =>
    member(name, id, 'duration -> int', (_run, { nanos }: Duration) => nanos / size),
  ),
  member(
    'getMilliseconds',
    'duration_to_milliseconds',
    'duration -> int',
    (_run, { nanos }: Duration) => (nanos / 1_000_000n) % 1000n,
  ),
];

export const times: readonly Overload[] = [...ofTimestamps, ...ofDurations];
