/** The end of a sink: what waits is still written, as long as the sink takes events. */
import { steadyOf, type Clock } from '../base/clock.ts';
import { withDeadline } from '../base/pause.ts';

/** In all. */
const closeMs = 30_000;
/** A sink that takes no event for this time is given up: it hangs, or is not there. */
const stalledMs = 10_000;

const late = (): Error => new Error('time is up');

/**
 * Waits for the end of `rest`, half a minute at most.
 * @param written counts events that the sink has taken
 * @returns whether everything was tried
 */
export async function untilWritten(
  clock: Clock,
  rest: Promise<unknown>,
  written: () => number,
): Promise<boolean> {
  const steady = steadyOf(clock);
  const until = steady.monotonic() + closeMs;
  for (let before = -1; written() !== before && steady.monotonic() < until;) {
    before = written();
    const waitMs = Math.min(stalledMs, until - steady.monotonic());
    const isOver = await withDeadline(clock, rest, waitMs, late).then(
      () => true,
      () => false,
    );
    if (isOver) return true;
  }
  return false;
}
