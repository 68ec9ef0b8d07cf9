/** `npm run simulate`: runs histories until the time is over or one fails; `--help` tells the rest. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mutations } from './support/mutations.ts';
import { mutate } from './support/mutate.ts';
import { peculiarities, type Peculiarity } from './support/peculiarities.ts';
import type { Level, Outcome, Plan } from './support/simulate.ts';
import { watchHistories } from './support/watchdog.ts';

const usage = `npm run simulate -- [options]
  --minutes=N        how long (default 1)
  --seed=N           the first seed (default: by chance, and printed)
  --seeds=N          how many histories at most
  --level=LEVEL      only histories of the 'storage', the 'api', or with 'controllers' (default: of all)
  --world=WORLD      only worlds of the storage that are ${peculiarities.join(', ')}
  --plan=FILE        one history, of a plan in JSON
  --mutation=NAME    with a defect: ${Object.keys(mutations).join(', ')}
  --trace            prints what happens in each history
  --keep-going       goes on after a failure
  --no-shrink        a failing plan is not made smaller
`;

interface Options {
  readonly untilMs: number;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly level: Level | undefined;
  readonly world: Peculiarity | undefined;
  readonly plan: Plan | undefined;
  readonly trace: ((line: string) => void) | undefined;
  readonly keepsGoing: boolean;
  readonly shrinks: boolean;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      ...{ minutes: { type: 'string' }, seed: { type: 'string' }, seeds: { type: 'string' } },
      ...{
        level: { type: 'string' },
        world: { type: 'string' },
        plan: { type: 'string' },
        mutation: { type: 'string' },
        trace: { type: 'boolean' },
      },
      ...{ 'keep-going': { type: 'boolean' }, 'no-shrink': { type: 'boolean' }, help: { type: 'boolean' } },
    },
  });
  if (values.help === true) return undefined;
  if (values.mutation !== undefined) mutate(values.mutation);
  return {
    untilMs: performance.now() + Number(values.minutes ?? 1) * 60_000,
    firstSeed: Number(values.seed ?? Math.floor(Math.random() * 1e9)),
    seeds: Number(values.seeds ?? Infinity),
    level: values.level as Level | undefined,
    world: values.world as Peculiarity | undefined,
    plan: values.plan === undefined ? undefined : (JSON.parse(readFileSync(values.plan, 'utf8')) as Plan),
    trace: values.trace === true ? print : undefined,
    keepsGoing: values['keep-going'] === true,
    shrinks: values['no-shrink'] !== true,
  };
}

async function main(options: Options): Promise<number> {
  // Loaded after the mutation, which changes what is loaded.
  const { planOf, simulate } = await import('./support/simulate.ts');
  const { shrink } = await import('./support/shrink.ts');
  const total = { histories: 0, withControllers: 0, steps: 0, operations: 0, failures: 0 };
  const startedAt = performance.now();
  const digest = createHash('sha256');
  const watch = watchHistories();
  const fails = async (plan: Plan): Promise<boolean> => {
    watch.begin(plan);
    return (await simulate(plan)).violations.length > 0;
  };
  print(`first seed: ${String(options.plan?.seed ?? options.firstSeed)}`);
  const plans = options.plan ? [options.plan] : plansFrom(options, planOf);
  for (const plan of plans) {
    watch.begin(plan);
    const outcome = await simulate(plan, options.trace);
    total.histories += 1;
    if (plan.level === 'controllers') total.withControllers += 1;
    digest.update(outcome.digest);
    total.steps += outcome.steps;
    total.operations += outcome.operations;
    if (outcome.violations.length === 0) continue;
    total.failures += 1;
    report(outcome);
    if (options.keepsGoing) continue;
    if (options.shrinks) report(await simulate(await shrink(plan, fails)));
    break;
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  watch.end();
  const summary = { ...total, seconds: Number(seconds), firstSeed: options.firstSeed };
  print(JSON.stringify({ ...summary, digest: digest.digest('hex').slice(0, 16) }));
  return total.failures > 0 ? 1 : 0;
}

function* plansFrom(
  { firstSeed, seeds, untilMs, level, world }: Options,
  planOf: (seed: number, level?: Level, world?: Peculiarity) => Plan,
): Iterable<Plan> {
  for (let index = 0; index < seeds && performance.now() < untilMs && !isOver(); index += 1)
    yield planOf(firstSeed + index, level, world);
}

/** Interrupted: the history under way is the last one. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

function isOver(): boolean {
  return interrupted.signal.aborted;
}

function report({ plan, violations, steps, digest }: Outcome): void {
  print(`seed ${String(plan.seed)} after ${String(steps)} steps (digest ${digest}):`);
  for (const violation of violations) print(`  ${violation}`);
  print(`  plan: ${JSON.stringify(plan)}`);
}

const options = readOptions();
if (options === undefined) print(usage);
else process.exitCode = await main(options);
