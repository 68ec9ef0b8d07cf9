/** What a test that failed under a seed is told. */
import { messageOf } from '../../base/errors.ts';
import type { FaultOrder, FaultStrike } from '../fault-orders.ts';
import { strikeText } from '../strike-text.ts';

export interface FailedRun {
  readonly seed: number;
  readonly plan: readonly FaultOrder[];
  /** The same faults, with the requests that they struck in place of counts and chance; without those that struck none. */
  readonly exact: readonly FaultOrder[];
  readonly strikes: readonly FaultStrike[];
  readonly error: unknown;
  /** Whether it failed again; absent if that was not tried. */
  readonly repeats?: boolean;
}

const passedAgain =
  'With the same requests struck once more it passed: how the test and its controller interleave matters, too, or a time that is too short.';

/** Strikes that the message names. */
const mostNamed = 40;

export class ExploreFailure extends Error {
  /** With `plan` it repeats the run. */
  readonly seed: number;
  /** The smallest plan found that fails. */
  readonly plan: readonly FaultOrder[];
  /** What the faults of that plan did. */
  readonly strikes: readonly FaultStrike[];

  /** @param smallest the run of the smallest plan that was found @param runs how many were made until one failed */
  constructor(smallest: FailedRun, whole: readonly FaultOrder[], runs: number) {
    super(textOf(smallest, whole, runs), { cause: smallest.error });
    this.name = 'ExploreFailure';
    this.seed = smallest.seed;
    this.plan = smallest.plan;
    this.strikes = smallest.strikes;
  }
}

function textOf(
  { seed, plan, strikes, error, repeats }: FailedRun,
  whole: readonly FaultOrder[],
  runs: number,
): string {
  if (plan.length === 0) return `the test fails without any fault: ${messageOf(error)}`;
  const isOther = JSON.stringify(plan) !== JSON.stringify(whole);
  return [
    `the test fails under seed ${String(seed)}, run ${String(runs)}: ${messageOf(error)}`,
    'Faults that are enough:',
    ...plan.map((order) => `  ${JSON.stringify(order)}`),
    strikes.length === 0 ? 'They struck no request.' : 'What they did:',
    ...strikes.slice(-mostNamed).map(strikeText),
    `Run it again: explore(test, { seed: ${String(seed)} })`,
    ...(isOther
      ? [`With these faults alone: explore(test, { seed: ${String(seed)}, plan: ${JSON.stringify(plan)} })`]
      : []),
    ...(repeats === false ? [passedAgain] : []),
  ].join('\n');
}
