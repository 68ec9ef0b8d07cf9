/** Everything that a simulation decides comes from its seed. */
export { SeededRandom } from '../../../src/base/seeded-random.ts';
