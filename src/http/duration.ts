/** Durations as clients write them: `30s`, `1m30s`, `1.5h`, `250ms`. */

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};

/** Milliseconds; undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^([-+]?)((?:[0-9]{1,12}(?:\.[0-9]{1,9})?(?:h|ms|m|s|us|µs|ns))+)$/.exec(text);
  if (match?.[2] === undefined) return undefined;
  let total = 0;
  for (const [, amount, unit] of match[2].matchAll(/([0-9.]+)(h|ms|m|s|us|µs|ns)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return match[1] === '-' ? -total : total;
}
