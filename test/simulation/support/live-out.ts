/** Lets a world live to its end. */
import type { World } from './world.ts';

/** Steps after which a world that does not come to its end is given up. */
const maxSteps = 200_000;

/** Runs what happens in the world until `live` settles. @returns violations: that it failed, or never ended */
export async function liveOut({ scheduler }: World, live: () => Promise<void>): Promise<string[]> {
  const violations: string[] = [];
  let isDone = false;
  const done = live()
    .catch((error: unknown) => {
      violations.push(
        `the simulation itself failed: ${String(error instanceof Error ? error.stack : error)}`,
      );
    })
    .finally(() => (isDone = true));
  if (await scheduler.runUntil(() => isDone, maxSteps)) await done;
  else
    violations.push(
      `the world does not come to its end: ${String(scheduler.steps)} steps, ${String(Math.round(scheduler.time))} ms`,
    );
  return violations;
}
