/** Time that this thread worked, which other work on the machine changes less than time that went by. */

/** Milliseconds of processor time of this thread since it began. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** When something began: by the processor time of this thread, and by the clock. */
export interface Moment {
  readonly cpu: number;
  readonly clock: number;
}

export function moment(): Moment {
  return { cpu: threadCpuMs(), clock: performance.now() };
}

/**
 * Milliseconds of processor time of this thread since then. Some kernels count them in ticks of milliseconds, so that a
 * short step may seem longer than it was: by the clock it took no less.
 */
export function cpuMsSince(begin: Moment): number {
  return Math.min(threadCpuMs() - begin.cpu, performance.now() - begin.clock);
}

/** Milliseconds of processor time that an action takes. */
export function cpuMsOf(action: () => void): number {
  const started = moment();
  action();
  return cpuMsSince(started);
}

/** Milliseconds that the reference work takes on the machine for which the tests' bounds were set. */
const referenceMs = 12;
const referenceText = JSON.stringify(
  Array.from({ length: 1_000 }, (_, i) => ({
    name: `item-${String(i)}`,
    labels: { app: 'web' },
    ports: [i],
  })),
);

/**
 * Milliseconds of processor time that an action may take which takes at most `ms` on a machine at rest: more where this
 * one works slower at the moment.
 */
export function cpuBudget(ms: number): number {
  const measured = cpuMsOf(() => {
    for (let round = 0; round < 20; round += 1) JSON.stringify(JSON.parse(referenceText));
  });
  return ms * Math.max(1, measured / referenceMs);
}

/** Rounds in which a processor that another program slows down has time enough to be free. */
const rounds = 8;

/**
 * The least part of its budget that an action takes, in several rounds at most: each measures the action and the machine
 * right after each other, and the first that is below 1 is enough.
 * @param ms milliseconds of processor time on a machine at rest
 */
export function leastShare(ms: number, action: () => unknown): Promise<number> {
  return leastShareOf(ms, async () => {
    const started = moment();
    await action();
    return cpuMsSince(started);
  });
}

/** As `leastShare`, of what a measurement gives in milliseconds of processor time, such as those of the longest turn. */
export async function leastShareOf(ms: number, measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds && least >= 1; round += 1)
    least = Math.min(least, (await measure()) / cpuBudget(ms));
  return least;
}

/** The least of three measurements: a garbage collection that falls into one of them is no work of what is measured. */
export async function leastOfThree(measure: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round += 1) least = Math.min(least, await measure());
  return least;
}
