/** Numbers that faults are decided by. */
import { randomInt } from 'node:crypto';

const below = 1_000_000;

/** Short enough to be typed. */
export function randomSeed(): number {
  return randomInt(below);
}
