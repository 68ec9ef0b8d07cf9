/** Durations as flags of this family write them: `10s`, `1h30m`, `1m0s`, `1.5h`, `250ms`, `0`. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const whole = /^(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /([0-9]*\.?[0-9]*)(ns|us|µs|μs|ms|s|m|h)/g;

/** The duration in milliseconds; undefined when the text is none or is negative. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > 64 || !whole.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(part)) sum += Number(count) * (unitMs[unit ?? ''] ?? NaN);
  return sum;
}
