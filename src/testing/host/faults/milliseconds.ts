/** Durations of orders. */
import { parseDurationMs } from '../../../base/duration.ts';

/** @throws TypeError for a text that is no duration, or a negative one */
export function millisecondsOf(text: unknown): number {
  const ms = typeof text === 'string' ? parseDurationMs(text) : undefined;
  if (ms === undefined || ms < 0)
    throw new TypeError(`give a duration such as 250ms or 2s, not ${String(text)}`);
  return ms;
}
