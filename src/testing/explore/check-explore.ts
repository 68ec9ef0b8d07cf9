/** Whether a test can be explored as it is asked for. */
import { allFaults } from './fault-plan.ts';
import type { ExploreOptions } from './explore-options.ts';

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isFault = (value: unknown): boolean => (allFaults as readonly unknown[]).includes(value);

const members: Readonly<
  Record<keyof ExploreOptions, readonly [isGood: (value: unknown) => boolean, words: string]>
> = {
  seeds: [(value) => isCount(value) && value !== 0, 'how many seeds: a whole number from 1'],
  seed: [Number.isInteger, 'a whole number'],
  plan: [Array.isArray, 'a list of faults, as a failure prints it'],
  faults: [(value) => Array.isArray(value) && value.every(isFault), `a list of ${allFaults.join(', ')}`],
  scope: [isObject, "an object such as { user: 'controller' }"],
  controlPlane: [isObject, 'a control plane, or options of one'],
  timeoutMs: [(value) => isCount(value) && value !== 0, 'a number of milliseconds'],
  shrinkRuns: [isCount, 'a whole number'],
};

/** @throws TypeError with all that is wrong */
export function checkExplore(test: unknown, options: ExploreOptions): void {
  const faults = Object.entries(options).flatMap(([member, value]) => faultOf(member, value) ?? []);
  if (typeof test !== 'function') faults.unshift('explore takes a test: a function');
  if (faults.length > 0) throw new TypeError(faults.join('; '));
}

function faultOf(member: string, value: unknown): string | undefined {
  if (!Object.hasOwn(members, member))
    return `explore has no option ${member}; options are ${Object.keys(members).join(', ')}`;
  const [isGood, words] = members[member as keyof ExploreOptions];
  return value === undefined || isGood(value) ? undefined : `\`${member}\` is ${words}`;
}
