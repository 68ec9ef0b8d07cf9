/**
 * `npm test`: the checks at once, for each keeps one processor busy, then every suite in order; all run even when one
 * fails, so that one look shows everything.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endHangingFiles } from './hanging-files.mjs';
import { endLeftovers } from './leftovers.mjs';
import { inRoot, pinnedNode } from './paths.mjs';
import { foreground, say } from './run.mjs';
import { secondRunOf } from './second-run.mjs';
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
  for (const line of run.totals.hung) console.log(`hung, and was ended: ${line}`);
  for (const name of run.totals.unsteady)
    console.log(`unsteady, passed only when it ran again alone: ${name}`);
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
  const code = await foreground(pinnedNode(), [inRoot(program), ...args], { output });
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
async function passes(name, run) {
  if (!isReady(name)) {
    run.totals.add(false);
    return false;
  }
  const first = await jestRun(name, run, { workers: suites[name].workers });
  const again = first.isClean ? secondRunOf(first.output, folderOf(name)) : undefined;
  if (again === undefined) return run.totals.addJest(first.output, first.code) && first.isClean;
  return passesAlone(name, { ...run, first, again });
}

/** Files that failed beside others, one after the other. */
async function passesAlone(name, { first, again, ...run }) {
  say(`${name}: run again, alone: ${again.patterns.join(' ')}`);
  const second = await jestRun(`${name}-alone`, { ...run, patterns: again.patterns }, { name, workers: 1 });
  if (second.code === 0 && second.isClean) return run.totals.addUnsteady(first.output, again.tests);
  return run.totals.addJest(first.output, first.code);
}

/** @returns Jest's exit code, the file of its results, and whether every process that it started has ended */
async function jestRun(title, { patterns, folder, totals, etcd }, { name = title, workers }) {
  const output = join(folder, `${title}.json`);
  const mark = `${process.pid}-${title}`;
  const running = join(folder, `${title}-running`);
  mkdirSync(running);
  const endWatch = endHangingFiles(running, (line) => totals.hung.push(line));
  const env = { ORCH_TEST_RUN: mark, ORCH_TEST_RUNNING: running, ...environmentOf(name) };
  const code = await foreground(pinnedNode(), jestArgs(name, patterns, workers, output), {
    env: { ...env, ...(etcd ? { ORCH_TEST_ETCD_BIN: etcd } : {}) },
    limitMs: suiteLimitMs,
  });
  await endWatch();
  const leftovers = await endLeftovers(mark);
  for (const line of leftovers) {
    say(`left running by ${title}, now ended: ${line}`);
    totals.add(false);
  }
  return { code, output, isClean: leftovers.length === 0 };
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

function jestArgs(name, patterns, workers, output) {
  const { files: ownFiles = [''] } = suites[name];
  const files = patterns.length === 0 ? ownFiles : patterns;
  return [
    inRoot('node_modules/jest/bin/jest.js'),
    ...['--config', 'test/tools/jest.config.json', '--maxWorkers', String(workers)],
    ...['--json', '--outputFile', output],
    ...['--testPathPatterns', ...files.map((pattern) => `/test/${folderOf(name)}/.*${pattern}`)],
  ];
}

function folderOf(name) {
  return suites[name].folder ?? name;
}
