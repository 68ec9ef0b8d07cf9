/**
 * What a replica takes from the machine beside connections and files: time and randomness. Composition hands it in, so that
 * several replicas in one process may each have their own.
 */
import { systemClock, type Clock } from './clock.ts';
import { systemRandom, type Random } from './random.ts';

export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
}

/** This machine's. */
export const systemEnvironment: Environment = { clock: systemClock, random: systemRandom };
