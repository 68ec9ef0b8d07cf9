/**
 * The simulation finds what it must in verbs, and in worlds that are lossy, encrypted or expiring: each known defect, within
 * a few histories. These take as long as those of `storage-mutations`, beside which they run.
 */
import { mutations } from './support/mutations.ts';
import { testMutations } from './support/test-mutations.ts';

testMutations(
  Object.entries(mutations).flatMap(([name, { level, world }]) =>
    level === 'controllers' || (level ?? world) === undefined ? [] : [name],
  ),
);
