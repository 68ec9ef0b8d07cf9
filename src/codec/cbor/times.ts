/** Tagged times as texts (RFC 8949, sections 3.4.1 and 3.4.2). */
import type { JsonValue } from '../../base/json.ts';

const rfc3339 =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** The text, if it is a time by RFC 3339. */
export function timeText(text: string): string | undefined {
  return rfc3339.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** Seconds since 1970 in the form of RFC 3339, with what is behind the point; undefined outside of the years 0 to 9999. */
export function epochTimeText(seconds: JsonValue): string | undefined {
  if (typeof seconds !== 'number') return undefined;
  const whole = Math.floor(seconds);
  // What is finer is dropped: rounded up it could be a whole second.
  const nanoseconds = Math.min(Math.round((seconds - whole) * 1e9), 999_999_999);
  const date = new Date(whole * 1_000);
  const year = date.getUTCFullYear();
  // Also where the year is NaN.
  if (!(year >= 0 && year <= 9999)) return undefined;
  const toSecond = date.toISOString().slice(0, 19);
  if (nanoseconds === 0) return `${toSecond}Z`;
  return `${toSecond}.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}Z`;
}
