/** Whether a test can be explored as it is asked for. */
import { isCount, isObject, judge, judgeOptions, listOf, that, type Checks } from '../judge.ts';
import { allFaults } from './fault-plan.ts';
import type { ExploreOptions } from './explore-options.ts';

const isFault = (value: unknown): boolean => (allFaults as readonly unknown[]).includes(value);

const checks: Checks<ExploreOptions> = {
  seeds: that('how many seeds: a whole number from 1', (value) => isCount(value) && value !== 0),
  seed: that('a whole number', Number.isInteger),
  plan: that('a list of faults, as a failure prints it', Array.isArray),
  faults: listOf(allFaults.join(', '), isFault),
  scope: that("an object such as { user: 'controller' }", isObject),
  controlPlane: that('a control plane, or options of one', isObject),
  timeoutMs: that('a number of milliseconds', (value) => isCount(value) && value !== 0),
  shrinkRuns: that('a whole number', isCount),
};

/** @throws TypeError with all that is wrong */
export function checkExplore(test: unknown, options: ExploreOptions): void {
  judge(
    'explore',
    test,
    that('a test: a function', (value) => typeof value === 'function'),
  );
  judgeOptions('explore', options, checks);
}
