/** Leaves out what a failure does not need. */
import type { FaultOrder } from '../fault-orders.ts';
import type { FailedRun } from './explore-failure.ts';

/**
 * Leaves out one fault after the other while the test still fails.
 * @param again undefined if the test passes with that plan
 * @param mostRuns how often it is called at most
 */
export async function shrunk(
  failed: FailedRun,
  again: (plan: readonly FaultOrder[]) => Promise<FailedRun | undefined>,
  mostRuns: number,
): Promise<FailedRun> {
  let best = failed;
  let runs = 0;
  for (let at = 0; at < best.plan.length && best.plan.length > 1 && runs < mostRuns; runs += 1) {
    const smaller = await again(best.plan.filter((_order, index) => index !== at));
    if (smaller === undefined) at += 1;
    else best = smaller;
  }
  return best;
}
