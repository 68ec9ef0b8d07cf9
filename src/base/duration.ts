/** Durations in the format of Go (`time.ParseDuration`): `1h30m0s`, `1.5h`, `250ms`, `0`. */
const units: readonly (readonly [string, bigint])[] = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ns', 1n],
];
const unitSizes: ReadonlyMap<string, bigint> = new Map(units);

const whole = /^([-+]?)((?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/g;

const maxInt64 = 2n ** 63n - 1n;

/**
 * Parses a duration to nanoseconds; undefined if it is invalid or over 292 years. Fractions of a nanosecond are
 * truncated.
 */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > 100) return undefined;
  if (/^[-+]?0$/.test(text)) return 0n;
  const found = whole.exec(text);
  if (!found) return undefined;
  let sum = 0n;
  for (const [, digits = '', fraction = '', unit = ''] of (found[2] ?? '').matchAll(part)) {
    const size = unitSizes.get(unit) ?? 0n;
    sum += BigInt(digits || '0') * size;
    sum += (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  if (sum > maxInt64) return undefined;
  return found[1] === '-' ? -sum : sum;
}

/** Parses a duration to milliseconds, with fractions; undefined if it is invalid or over 292 years. */
export function parseDurationMs(text: string): number | undefined {
  const nanoseconds = parseDuration(text);
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

/** The text of a duration: `1h30m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return '0s';
  if (size < 1_000n) return `${sign}${String(size)}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${String(hours)}h`}${String(minutes % 60n)}m${seconds}`;
}

/** A number with `places` decimals, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -places) : `${text.slice(0, -places)}.${fraction}`;
}
