/** Cron schedules: five fields, `@daily` and its kin, `@every 1h30m`. */
import { parseDuration } from '../../base/duration.ts';

interface FieldRange {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly FieldRange[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const every = '@every ';
const zone = /^(?:TZ|CRON_TZ)=([^ ]*) +/;

/** Messages of what is wrong with a schedule. */
export function scheduleErrors(text: string): string[] {
  const named = zone.exec(text);
  const zoneErrors = named && !isTimeZone(named[1] ?? '') ? [`unknown time zone ${named[1] ?? ''}`] : [];
  const rest = named ? text.slice(named[0].length) : text;
  return [...zoneErrors, ...ruleErrors(rest.trim())];
}

function isInterval(rule: string): boolean {
  return rule.startsWith(every) && parseDuration(rule.slice(every.length)) !== undefined;
}

function isTimeZone(name: string): boolean {
  try {
    return (
      new Intl.DateTimeFormat('en', { timeZone: name === 'Local' ? 'UTC' : name }) instanceof
      Intl.DateTimeFormat
    );
  } catch {
    return false;
  }
}

function ruleErrors(rule: string): string[] {
  if (rule.startsWith('@')) {
    return descriptors.includes(rule) || isInterval(rule) ? [] : [`unrecognized descriptor: ${rule}`];
  }
  const parts = rule.split(/\s+/);
  if (parts.length !== fields.length) {
    return [
      `expected exactly ${String(fields.length)} fields, found ${String(rule === '' ? 0 : parts.length)}`,
    ];
  }
  return fields.flatMap((range, i) => (parts[i] ?? '').split(',').flatMap((part) => partErrors(part, range)));
}

/** `*`, `5`, `1-5`, each with an optional step `/2`. */
function partErrors(part: string, range: FieldRange): string[] {
  const [span = '', step, ...rest] = part.split('/');
  if (rest.length > 0) return [`too many slashes: ${part}`];
  if (step !== undefined && !/^[1-9][0-9]{0,8}$/.test(step))
    return [`step must be a positive number: ${part}`];
  if (span === '*' || span === '?') return [];
  const ends = span.split('-');
  if (ends.length > 2) return [`too many hyphens: ${part}`];
  const [low = NaN, high = low] = ends.map((end) => valueOf(end, range));
  if (Number.isNaN(low) || Number.isNaN(high)) return [`not a number or a name of this field: ${part}`];
  if (low < range.min || high > range.max)
    return [`must be between ${String(range.min)} and ${String(range.max)}: ${part}`];
  return low > high ? [`the beginning of a range is beyond its end: ${part}`] : [];
}

function valueOf(text: string, { min, names }: FieldRange): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
}
