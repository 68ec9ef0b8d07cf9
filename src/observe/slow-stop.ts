/** What a stop waits for is in the log, as soon as it takes longer than it should. */
import { steadyOf, type Clock } from '../base/clock.ts';
import type { Logger } from './log.ts';

/** A step that takes longer is named in the log, and again each time this has passed. */
const slowMs = 3_000;

/**
 * Adds a step to a stop, as `owned.defer` does.
 * @param waitsFor the step in the log: `the stop waits for …`
 */
export function deferNamed(
  owned: AsyncDisposableStack,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  waitsFor: string,
  step: () => Promise<unknown> | undefined,
): void {
  const steady = steadyOf(clock);
  owned.defer(async () => {
    const since = steady.monotonic();
    const timer = steady.setInterval(() => {
      const seconds = Math.round((steady.monotonic() - since) / 1_000);
      logger.warn(`the stop waits for ${waitsFor}`, { seconds });
    }, slowMs);
    try {
      await step();
    } finally {
      steady.clear(timer);
    }
  });
}
