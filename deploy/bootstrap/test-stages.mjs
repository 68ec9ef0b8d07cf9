/** `npm test`: every check in order; all run even when one fails, so that one look shows everything. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryInstall } from './apt.mjs';
import { ensureBuild } from './build.mjs';
import { endLeftovers } from './leftovers.mjs';
import { inRoot, pinnedNode } from './paths.mjs';
import { foreground } from './run.mjs';

const bin = (path) => inRoot('node_modules', path);

const checks = {
  types: ['typescript/bin/tsc', '-p', '.'],
  lint: [
    'eslint/bin/eslint.js',
    '--config',
    'test/tools/eslint.config.js',
    '--cache',
    '--cache-location',
    'node_modules/.cache/eslint/',
    'src',
    'test',
  ],
  format: [
    'prettier/bin/prettier.cjs',
    '--check',
    '--log-level',
    'warn',
    'src/**/*.ts',
    'test/**/*.{ts,js,json}',
    'deploy/**/*.mjs',
  ],
};

/** Jest stages by folder under test/, with how many files run at once. */
const suites = { unit: 2, integration: 2, cluster: 1, clients: 1 };

/** Runs all stages or the named one. @returns exit code */
export async function runTests([only, ...patterns]) {
  const names = [...Object.keys(checks), ...Object.keys(suites)];
  if (only !== undefined && !names.includes(only))
    throw new Error(`unknown stage ${only}: use one of ${names.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'orch-test-'));
  const totals = { passed: 0, failed: 0, skipped: 0 };
  try {
    prepareTools();
    for (const name of only === undefined ? names : [only])
      await runStage(name, { patterns, folder, totals });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
  return totals.failed > 0 ? 1 : 0;
}

/** kubectl is needed by the client tests; a Docker engine widens the cluster tests. */
function prepareTools() {
  ensureBuild();
  tryInstall('kubectl', ['kubernetes-client']);
  tryInstall('dockerd', ['docker.io', 'iptables']);
}

async function runStage(name, run) {
  const started = Date.now();
  console.log(`\n== ${name}`);
  const ok = name in checks ? await runCheck(name, run.totals) : await runSuite(name, run);
  console.log(`== ${name}: ${ok ? 'passed' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

async function runCheck(name, totals) {
  const [program, ...args] = checks[name];
  const code = await foreground(pinnedNode(), [bin(program), ...args]);
  totals[code === 0 ? 'passed' : 'failed'] += 1;
  return code === 0;
}

async function runSuite(name, { patterns, folder, totals }) {
  const output = join(folder, `${name}.json`);
  const run = `${process.pid}-${name}`;
  const args = [
    '--config',
    'test/tools/jest.config.json',
    '--maxWorkers',
    String(suites[name]),
    '--json',
    '--outputFile',
    output,
  ];
  const pattern = patterns.length > 0 ? patterns : [`/test/${name}/`];
  const nodeOptions = '--no-warnings';
  const code = await foreground(
    pinnedNode(),
    [bin('jest/bin/jest.js'), ...args, '--testPathPatterns', ...pattern],
    {
      ORCH_TEST_RUN: run,
      ORCH_TEST_DIST: '1',
      NODE_OPTIONS: nodeOptions,
    },
  );
  const leftovers = endLeftovers(run);
  for (const line of leftovers) console.error(`left running by ${name}: ${line}`);
  totals.failed += leftovers.length;
  return addTotals(totals, output, code) && leftovers.length === 0;
}

function addTotals(totals, output, code) {
  let result;
  try {
    result = JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    totals.failed += 1;
    return false;
  }
  totals.passed += result.numPassedTests;
  totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  totals.skipped += result.numPendingTests;
  if (code !== 0 && result.numFailedTests + result.numRuntimeErrorTestSuites === 0) totals.failed += 1;
  return code === 0;
}
