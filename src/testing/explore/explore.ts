/** Runs a test under many seeds, each with faults of its own, until it fails. */
import { ControlPlane } from '../control-plane.ts';
import type { FaultOrder, FaultStrike } from '../fault-orders.ts';
import { clearRealTimeout, setRealTimeout } from '../real-timers.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { checkExplore } from './check-explore.ts';
import type { ExploreOptions } from './explore-options.ts';
import { exactly } from './exact-plan.ts';
import { ExploreFailure, type FailedRun } from './explore-failure.ts';
import { allFaults, planOf } from './fault-plan.ts';
import { shrunk } from './shrink-plan.ts';

/** What a run gives the test. */
export interface ExploreRun {
  /** As after its start, with the faults of the seed. */
  readonly controlPlane: ControlPlane;
  readonly seed: number;
  readonly plan: readonly FaultOrder[];
  /** Aborted when the run is over, in time or not: whatever the test started ends then. */
  readonly signal: AbortSignal;
  /** Called when the run is over, last one first: stops informers and controllers. */
  readonly defer: (cleanUp: () => unknown) => void;
}

export interface ExploreReport {
  /** How many runs passed, the one without faults included. */
  readonly runs: number;
  /** How many requests were struck in all. */
  readonly strikes: number;
}

export type ExploredTest = (run: ExploreRun) => Promise<void>;

const defaultSeeds = 100;
const defaultTimeoutMs = 10_000;
const defaultShrinkRuns = 10;

/**
 * Runs the test once without faults, then under each seed. A run has failed if the test rejects, or does not end in time.
 * @throws TypeError for options that cannot be used; ExploreFailure with the seed, the faults, what they did and how to repeat the run
 */
export async function explore(test: ExploredTest, options: ExploreOptions = {}): Promise<ExploreReport> {
  checkExplore(test, options);
  const { controlPlane: given, timeoutMs = defaultTimeoutMs } = options;
  const controlPlane = given instanceof ControlPlane ? given : await startControlPlane(given);
  try {
    return await new Exploration(controlPlane, test, timeoutMs).run(options);
  } finally {
    if (controlPlane !== given) await controlPlane.stop();
    else await controlPlane.faults.clear();
  }
}

interface Ran {
  readonly strikes: readonly FaultStrike[];
  readonly failed: FailedRun | undefined;
}

class Exploration {
  readonly #controlPlane: ControlPlane;
  readonly #test: ExploredTest;
  readonly #timeoutMs: number;
  #runs = 0;
  #strikes = 0;

  constructor(controlPlane: ControlPlane, test: ExploredTest, timeoutMs: number) {
    this.#controlPlane = controlPlane;
    this.#test = test;
    this.#timeoutMs = timeoutMs;
  }

  async run({ seeds = defaultSeeds, seed, plan, ...options }: ExploreOptions): Promise<ExploreReport> {
    const { faults = allFaults, scope = {}, shrinkRuns = defaultShrinkRuns } = options;
    if (seed === undefined) await this.#pass(0, [], 0);
    const all = seed === undefined ? Array.from({ length: seeds }, (_none, index) => index + 1) : [seed];
    for (const each of all) await this.#pass(each, plan ?? planOf(each, faults, scope), shrinkRuns);
    return { runs: this.#runs, strikes: this.#strikes };
  }

  /** @throws ExploreFailure */
  async #pass(seed: number, plan: readonly FaultOrder[], shrinkRuns: number): Promise<void> {
    this.#runs += 1;
    const runs = this.#runs;
    const { strikes, failed } = await this.#once(seed, plan);
    this.#strikes += strikes.length;
    if (failed === undefined) return;
    const again = async (smaller: readonly FaultOrder[]): Promise<FailedRun | undefined> =>
      (await this.#once(seed, smaller)).failed;
    throw new ExploreFailure(await smallest(failed, again, shrinkRuns), plan, runs);
  }

  async #once(seed: number, plan: readonly FaultOrder[]): Promise<Ran> {
    const { faults } = this.#controlPlane;
    await this.#controlPlane.reset();
    await faults.useSeed(seed);
    const handles = [];
    for (const order of plan) handles.push(await faults.start(order));
    const outcome = await this.#outcome(seed, plan);
    const strikes = await faults.log();
    const exact = exactly(plan, await Promise.all(handles.map((handle) => handle.requests())));
    await faults.clear();
    const failed = outcome && { seed, plan, exact, strikes, error: outcome.error };
    return { strikes, failed };
  }

  /** undefined if the test passed. */
  async #outcome(
    seed: number,
    plan: readonly FaultOrder[],
  ): Promise<{ readonly error: unknown } | undefined> {
    const over = new AbortController();
    const cleanUps: (() => unknown)[] = [];
    const defer = (cleanUp: () => unknown): void => {
      cleanUps.push(cleanUp);
    };
    const run = { controlPlane: this.#controlPlane, seed, plan, signal: over.signal, defer };
    try {
      await inTime(this.#test(run), this.#timeoutMs);
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      over.abort();
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
    }
  }
}

/**
 * A failed run with as few faults as were found. The requests that were struck are tried first, by their numbers: what is
 * left of a plan then strikes the same ones, whatever else is asked.
 */
async function smallest(
  failed: FailedRun,
  again: (plan: readonly FaultOrder[]) => Promise<FailedRun | undefined>,
  mostRuns: number,
): Promise<FailedRun> {
  if (mostRuns === 0 || failed.exact.length === 0) return shrunk(failed, again, mostRuns);
  const repeated = await again(failed.exact);
  const isExact = repeated !== undefined;
  const found = await shrunk(repeated ?? failed, again, mostRuns - 1);
  return { ...found, repeats: isExact || found !== failed };
}

async function inTime(running: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setRealTimeout(() => {
      reject(new Error(`it did not end within ${String(timeoutMs)} ms`));
    }, timeoutMs);
  });
  try {
    await Promise.race([running, late]);
  } finally {
    clearRealTimeout(timer);
  }
}
