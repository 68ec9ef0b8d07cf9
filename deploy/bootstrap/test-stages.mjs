/**
 * `npm test`: the checks at once, for each keeps one processor busy, then every suite in order; all run even when one
 * fails, so that one look shows everything.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endLeftovers } from './leftovers.mjs';
import { inRoot, pinnedNode } from './paths.mjs';
import { foreground, say } from './run.mjs';
import { checks, environmentOf, suites } from './stages.mjs';
import { testPlan } from './test-plan.mjs';
import { Totals } from './totals.mjs';

/** A suite that takes longer hangs. */
const suiteLimitMs = 25 * 60_000;

/** Runs what the words of the command mean (`testPlan`). @returns exit code */
export async function runTests(words) {
  const plan = testPlan(words);
  const run = { folder: mkdtempSync(join(tmpdir(), 'orch-test-')), totals: new Totals() };
  const interrupted = onceInterrupted();
  try {
    await Promise.all(plan.filter(({ name }) => name in checks).map(({ name }) => runCheck(name, run)));
    for (const { name, patterns } of plan.filter(({ name }) => name in suites))
      if (!interrupted.aborted) await runSuite(name, { ...run, patterns });
  } finally {
    rmSync(run.folder, { recursive: true, force: true });
  }
  console.log(`\n${run.totals}`);
  return run.totals.ok && !interrupted.aborted ? 0 : 1;
}

/** Aborted when somebody wants the run to end; the stage at work ends by its own means. */
function onceInterrupted() {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** The output of a check is shown as a whole when it has ended, as others run beside it. */
async function runCheck(name, { folder, totals }) {
  const started = Date.now();
  const [program, ...args] = checks[name];
  const file = join(folder, `${name}.txt`);
  const output = openSync(file, 'w');
  const code = await foreground(pinnedNode(), [inRoot('node_modules', program), ...args], { output });
  closeSync(output);
  totals.add(code === 0);
  console.log(`\n== ${name}`);
  process.stdout.write(readFileSync(file));
  console.log(closingLine(name, code === 0, started));
}

async function runSuite(name, run) {
  const started = Date.now();
  console.log(`\n== ${name}`);
  const { folder: etcd, reason } = suites[name].etcd?.() ?? {};
  if (reason !== undefined) console.log(`== ${name}: left out: ${reason}`);
  else console.log(closingLine(name, await passes(name, { ...run, etcd }), started));
}

function closingLine(name, ok, started) {
  return `== ${name}: ${ok ? 'passed' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`;
}

/** @param etcd a folder with the programs of etcd, instead of those that the suites use otherwise */
async function passes(name, { patterns, folder, totals, etcd }) {
  if (!isReady(name)) {
    totals.add(false);
    return false;
  }
  const output = join(folder, `${name}.json`);
  const mark = `${process.pid}-${name}`;
  const code = await foreground(pinnedNode(), jestArgs(name, patterns, output), {
    env: { ORCH_TEST_RUN: mark, ...environmentOf(name), ...(etcd ? { ORCH_TEST_ETCD_BIN: etcd } : {}) },
    limitMs: suiteLimitMs,
  });
  const leftovers = await endLeftovers(mark);
  for (const line of leftovers) {
    say(`left running by ${name}, now ended: ${line}`);
    totals.add(false);
  }
  return totals.addJest(output, code) && leftovers.length === 0;
}

/** Brings what the suite needs; a need that cannot be met fails this suite and no other. */
function isReady(name) {
  try {
    for (const ensure of suites[name].needs) ensure();
    return true;
  } catch (error) {
    say(error.message);
    return false;
  }
}

function jestArgs(name, patterns, output) {
  const { folder = name, files: ownFiles = [''] } = suites[name];
  const files = patterns.length === 0 ? ownFiles : patterns;
  return [
    inRoot('node_modules/jest/bin/jest.js'),
    ...['--config', 'test/tools/jest.config.json', '--maxWorkers', String(suites[name].workers)],
    ...['--json', '--outputFile', output],
    ...['--testPathPatterns', ...files.map((pattern) => `/test/${folder}/.*${pattern}`)],
  ];
}
