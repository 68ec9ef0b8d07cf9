/** What a case is, and the figures that it gives. */
import type { Lab } from './lab.ts';
import type { Comparison } from './run.ts';

export interface BenchCase {
  readonly name: string;
  /** What one unit of the rate is. */
  readonly unit: 'requests' | 'events';
  /** True where throughput is better told in bytes. */
  readonly showsBytes?: boolean;
  /** Flag of a replica that it wants beside that of the lab (`lab.beside`). */
  readonly beside?: string;
  /** Checks the answers of both sides, then times them in turns. @throws when an answer is wrong */
  run(lab: Lab): Promise<Comparison>;
}

/** @throws Error with `what` when it does not hold */
export function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`verification failed: ${what}`);
}
