/** `npm run bench`: sets up an etcd and a replica of its own, and times each case against its bare figure. */
import { authnCase } from './cases/authn.ts';
import { expressionsCase } from './cases/expressions.ts';
import { catalogueCase } from './cases/catalogue.ts';
import { createCase } from './cases/create.ts';
import { runDefinitions } from './cases/definitions.ts';
import { busyLoopCase } from './cases/busy-loop.ts';
import { runHerd, runHerdBehindBalancer } from './cases/herd.ts';
import { memoryCase } from './cases/memory.ts';
import { runNamespaces } from './cases/namespaces.ts';
import { getCase, listCase, pagesCase, selectorCase } from './cases/reads.ts';
import { formCases } from './cases/forms.ts';
import { representationCases } from './cases/representations.ts';
import { restartCase } from './cases/restart.ts';
import { runScale } from './cases/scale.ts';
import { testingCase } from './cases/testing.ts';
import { transportCases } from './cases/transports.ts';
import { updateCases } from './cases/updates.ts';
import { watchFanOutCase } from './cases/watch-fan-out.ts';
import { watchStartCase } from './cases/watch-start.ts';
import { runWatches } from './cases/watches.ts';
import { severalCases } from './cases/several.ts';
import type { BenchCase } from './support/case.ts';
import { openLab, stored, type Lab } from './support/lab.ts';
import { readOptions, usage, type BenchOptions } from './support/options.ts';
import { print, printCase, printedLoad, printHead, printMachine } from './support/report.ts';
import type { Comparison } from './support/run.ts';
import { cpuSeconds, residentMegabytes } from './support/usage.ts';

const cases: Readonly<Record<string, BenchCase>> = {
  get: getCase,
  list: listCase(1),
  'list-4': listCase(4),
  pages: pagesCase,
  selector: selectorCase,
  'watch-start': watchStartCase,
  memory: memoryCase,
  restart: restartCase,
  catalogue: catalogueCase,
  busy: busyLoopCase,
  watch: watchFanOutCase,
  ...representationCases,
  ...formCases,
  ...severalCases,
  ...transportCases,
  ...updateCases,
  testing: testingCase,
  authn: authnCase,
  expressions: expressionsCase,
  // Last, for what it stores would weigh on the others.
  create: createCase,
};

async function main(options: BenchOptions): Promise<void> {
  if (options.help) {
    print(usage + Object.keys(cases).join(', '));
    return;
  }
  const chosen = options.only.length === 0 ? Object.keys(cases) : options.only;
  printMachine();
  if (await measureSizes(options)) {
    print(printedLoad());
    return;
  }
  await using lab = await openLab(options);
  const interruption = interrupted();
  const { body } = await lab.replica.admin.get(`${stored}/pod-1`);
  print(
    `${options.pods} pods of ${body.length} bytes; ${options.watchers} watchers × ${options.writes} writes`,
  );
  printHead();
  for (const name of chosen) await Promise.race([measure(name, lab), interruption]);
  print(printedLoad());
}

/** Measures by numbers of something, where they are given. Gives whether they were. */
async function measureSizes(options: BenchOptions): Promise<boolean> {
  const { scale, definitions, watches, herd, balancer, namespaces, pods, seconds, curves } = options;
  if (scale.length > 0) await runScale(scale, { curves, seconds });
  if (definitions.length > 0) await runDefinitions(definitions, curves);
  if (watches.length > 0) await runWatches(watches, curves);
  if (herd > 0) await (balancer ? runHerdBehindBalancer(herd) : runHerd(herd));
  if (namespaces > 0) await runNamespaces(namespaces, pods);
  return scale.length + definitions.length + watches.length + herd + namespaces > 0;
}

/** Rejects when somebody wants the bench to end, so that everything it started is stopped. */
function interrupted(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  promise.catch(() => undefined);
  return promise;
}

async function measure(name: string, lab: Lab): Promise<void> {
  const bench = cases[name];
  if (bench === undefined) throw new Error(`unknown case ${name}: use ${Object.keys(cases).join(', ')}`);
  await lab.beside.prepare(bench.beside);
  const { pid } = lab.replica;
  const before = await cpuSeconds(pid);
  const comparison: Comparison = await bench.run(lab);
  const cpu = (await cpuSeconds(pid)) - before;
  const ofReplica = { cpu, residentMegabytes: await residentMegabytes(pid) };
  printCase(bench, comparison, comparison.usage ?? ofReplica);
}

try {
  await main(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
