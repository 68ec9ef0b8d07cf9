/** Numbers that faults are decided by. */

const below = 1_000_000;

/** Short enough to be typed, and no secret. */
export function randomSeed(): number {
  return Math.floor(Math.random() * below);
}
