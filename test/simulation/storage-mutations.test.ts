/** The simulation finds what it must in the storage: each known defect, within a few histories. */
import { mutations } from './support/mutations.ts';
import { testMutations } from './support/test-mutations.ts';

testMutations(
  Object.entries(mutations).flatMap(([name, { level, world }]) =>
    (level ?? world) === undefined ? [name] : [],
  ),
);
