/** Instants as objects write them: RFC 3339 in UTC, to the second (times) or with six decimals (micro times). */

const syntax =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,18}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const canonicalTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** The second in UTC, decimals dropped: `2006-01-02T15:04:05Z`; undefined when the text is no RFC 3339 time. */
export function canonicalSeconds(text: string): string | undefined {
  return canonicalTime.test(text) ? text : parse(text)?.seconds.concat('Z');
}

/** The microsecond in UTC: `2006-01-02T15:04:05.000000Z`; undefined when the text is no RFC 3339 time. */
export function canonicalMicros(text: string): string | undefined {
  const parsed = parse(text);
  return parsed && `${parsed.seconds}.${parsed.fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** Milliseconds since 1970; NaN when the text is no RFC 3339 time: `Date.parse` would read `2099` and much else. */
export function instantOf(text: string): number {
  return Date.parse(canonicalMicros(text) ?? '');
}

/** An instant as metadata writes it. */
export function formatSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** An instant as Leases write it; the last three of six decimals are none that a clock here has. */
export function formatMicros(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

interface ParsedTime {
  /** In UTC, without zone and decimals. */
  readonly seconds: string;
  readonly fraction: string;
}

function parse(text: string): ParsedTime | undefined {
  const match = syntax.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour, zoneMinute] = match;
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const local = new Date(wall);
  if (Number(year) < 100) local.setUTCFullYear(Number(year));
  if (local.toISOString().slice(0, 19) !== `${text.slice(0, 10)}T${text.slice(11, 19)}`) return undefined;
  const offset = zoneOffset(sign, Number(zoneHour ?? 0), Number(zoneMinute ?? 0));
  if (offset === undefined) return undefined;
  const utc = new Date(local.getTime() - offset).toISOString();
  return /^\d{4}-/.test(utc) ? { seconds: utc.slice(0, 19), fraction } : undefined;
}

function zoneOffset(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
