/** The simulation finds what it must in storage and verbs: each known defect, within a few histories. */
import { mutations } from './support/mutations.ts';
import { testMutations } from './support/test-mutations.ts';

testMutations(Object.keys(mutations).filter((name) => mutations[name]?.level !== 'controllers'));
